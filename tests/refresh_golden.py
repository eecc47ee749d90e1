"""Writes the texts in tests/golden anew: `python tests/refresh_golden.py`, then read `git diff`."""

from pathlib import Path

import made_record

from course.drawing.narrate import narrate
from course.drawing.timeline import timeline

FOLDER = Path(__file__).parent / "golden"


def texts() -> dict[str, str]:
    """What each golden file must hold, by the file's name."""
    made = {name: make() for name, make in made_record.LESSONS.items()}
    result = {f"{name}.txt": narrate(record) for name, record in made.items()}
    result["chain_at_step_5.txt"] = narrate(made["chain"], 5)
    result["chain_timeline.txt"] = timeline(made["chain"]).text
    result["accumulated.txt"] = narrate(made_record.accumulated())
    result["modules.txt"] = narrate(made_record.modules())
    return {name: f"{text}\n" for name, text in result.items()}


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for old in FOLDER.glob("*.txt"):
        old.unlink()
    for name, text in texts().items():
        (FOLDER / name).write_text(text, encoding="utf-8")
