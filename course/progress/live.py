"""What a learner calls on the start page: ``course_map()`` and ``reset_progress()``."""

import sys
from pathlib import Path
from threading import Event, Thread

from course.laboratory.front_end import somebody_looks
from course.lessons import find_lesson
from course.progress.overview import overview
from course.progress.page import as_html, as_text
from course.progress.record import forget, in_lesson, read, state

SECONDS = 1.0  # between two looks at the file


def course_map() -> None:
    """Show the lessons, the exercises that are passed, and what is next: ``course_map()``.

    In a notebook the map follows what is passed in other notebooks while the kernel runs.
    """
    if "IPython" not in sys.modules or sys.modules["IPython"].get_ipython() is None:
        print(as_text(overview(read())))
    elif somebody_looks():
        Watch.begin()


def reset_progress(lesson: str | None = None) -> None:
    """Forget which exercises are passed: ``reset_progress()``, or of one lesson by its name.

    The notebooks and the answers in them stay as they are.
    """
    try:
        chosen = None if lesson is None else find_lesson(lesson)
        count = forget(chosen)
    except LookupError as error:
        print(error.args[0])
        return
    except OSError as error:
        print(f"Your progress could not be reset: {error}.")
        return
    of = f" of lesson {chosen.number}" if chosen else ""
    print(f"{count} passed exercises{of} are forgotten. Your answers stay as they are.")


def page() -> dict[str, str]:
    course = overview(read())
    base = "../" if in_lesson(Path.cwd()) else ""
    return {"text/html": as_html(course, base), "text/plain": as_text(course)}


class Watch(Thread):
    """Shows the map once, then again when the file has changed, until another map is shown."""

    now: "Watch | None" = None

    @classmethod
    def begin(cls):
        from IPython.display import display

        if cls.now:
            cls.now.stop.set()
        seen = state()
        cls.now = cls(display(page(), raw=True, display_id=True), seen)
        cls.now.start()

    def __init__(self, shown, seen):
        super().__init__(name="course map", daemon=True)
        self.shown, self.seen, self.stop = shown, seen, Event()

    def run(self):
        while not self.stop.wait(SECONDS):
            if (seen := state()) != self.seen:
                self.seen = seen
                self.shown.update(page(), raw=True)
