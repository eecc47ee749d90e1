"""What `import course` adds to `import torch`, and what the first use of its names adds.

    python bench/imports.py [repetitions]

Each repetition is a fresh Python, which times all of its imports itself.
"""

import json
import statistics
import subprocess
import sys
from pathlib import Path

STEPS = {
    "import torch": "import torch",
    "import course": "import course",
    "course.trace": "course.trace",
    "all other names": "[getattr(course, name) for name in course.__all__]",
}
TIMED = """
import json, time
times = []
for step in {steps}:
    start = time.perf_counter()
    exec(step)
    times.append(1000 * (time.perf_counter() - start))
print(json.dumps(times))
"""


def times() -> list[float]:
    """Milliseconds of each step in a new Python."""
    code = TIMED.format(steps=list(STEPS.values()))
    root = Path(__file__).parents[1]
    run = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, check=True)
    return json.loads(run.stdout)


def main(repetitions=9):
    times()  # the first one compiles and fills the disk's cache
    taken = [times() for _ in range(repetitions)]
    print(f"{'':20}{'median ms':>10}{'share of torch':>16}")
    for i, name in enumerate(STEPS):
        median = statistics.median(run[i] for run in taken)
        share = statistics.median(run[i] / run[0] for run in taken)
        print(f"{name:20}{median:10.1f}{share:16.4f}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
