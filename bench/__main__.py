"""Run the benchmarks, one after the other, each alone in its process: ``python -m bench [NAME …]``.

They print times and ratios and assert nothing, because times depend on the machine. ``grade`` and
``grade_many`` mark whole classes, which takes minutes: they run when they are named.
"""

import subprocess
import sys
from pathlib import Path


def main() -> int:
    here = Path(__file__).parent
    known = {path.stem: path for path in sorted(here.glob("*.py")) if path.stem[0] != "_"}
    names = sys.argv[1:] or [name for name in known if not name.startswith("grade")]
    unknown = [name for name in names if name not in known]
    if unknown:
        print(f"There is no benchmark {unknown[0]!r}. There are: {', '.join(known)}.")
        return 2
    worst = 0
    for name in names:
        print(f"\n== {name} ==", flush=True)
        worst = max(worst, subprocess.run([sys.executable, str(known[name])]).returncode)
    return worst


if __name__ == "__main__":
    sys.exit(main())
