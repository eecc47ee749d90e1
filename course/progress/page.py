"""The map of the course: a table in HTML for notebooks, lines of text for everything else.

State is said by sign, word and colour, so that each alone is enough. Styles are inline, and the
table reads well without them: a notebook that is opened again may lose them.
"""

from course.progress.overview import BEGUN, DONE, NOT_YET, Overview, Part
from course.report import COLOURS, PASSED, RAISED, marked

SIGNS = {DONE: "✓", BEGUN: "◐", NOT_YET: "○"}
WORDS = {DONE: "all passed", BEGUN: "begun", NOT_YET: "not yet"}
GROUNDS = {DONE: COLOURS[PASSED], BEGUN: COLOURS[RAISED]}  # white words on these are readable
CELL = "text-align: left; vertical-align: top; padding: 7px 20px 7px 0; background: none"
BELOW = "text-align: left; padding: 0 0 7px 1.6em; background: none"
SMALL = f"{CELL}; white-space: nowrap; width: 1%"
ITEM = "padding: 2px 0; line-height: 1.6"
RUN = "Run this cell with Shift + Enter to see which exercises you have passed."
FINISHED = "You have passed every exercise of the course."


def as_html(course: Overview, base: str = "../") -> str:
    """The map for a notebook; ``base`` leads from it to the folder of the lessons."""
    columns = {"lesson": CELL, "minutes": SMALL} | ({"passed": SMALL} if course.live else {})
    head = "".join(f'<th style="{css}" scope="col">{name}</th>' for name, css in columns.items())
    rows = "".join(row(part, course, base) for part in course.parts)
    words = f"<p>{marked(course.words)}</p>" if course.words else ""
    return (
        '<div style="max-width: 46em; line-height: 1.5;'
        ' font-family: var(--jp-ui-font-family, system-ui, sans-serif)">'
        f"{words}{top(course, base)}"
        '<table style="table-layout: auto; margin: 8px 0; width: 100%; border-collapse: collapse">'
        f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>"
    )


def top(course, base):
    if not course.live:
        return f"<p>{RUN}</p>"
    so_far = f"{course.passed} of {course.total} exercises passed."
    if course.next is None:
        return f"<p><strong>✓ {FINISHED}</strong></p>"
    link = (
        f'<a href="{base}{course.next.address}"><strong>{marked(next_words(course))}</strong></a>'
    )
    return (
        f'<p style="border-left: 4px solid {COLOURS[PASSED]}; padding: 4px 0 4px 14px">'
        f"<strong>▶ Next:</strong> {link}<br>About {course.next.minutes} minutes. {so_far}</p>"
    )


def next_words(course):
    return f"lesson {course.next.lesson.number}, {course.next.title}"


def row(part: Part, course: Overview, base: str) -> str:
    lesson = part.lesson
    title = (
        f'{lesson.number} · <a href="{base}{part.address}">{marked(lesson.title)}</a>'
        if lesson.number
        else f"{lesson.number} · {marked(lesson.title)} (this notebook)"
    )
    cells = [(CELL, title), (SMALL, lesson.minutes)]
    if course.live:
        cells.append((SMALL, passed(part)))
    line = "border-top: 1px solid var(--jp-border-color2, #c4c4c4); background: none"
    told = "".join(f'<td style="{css}">{content}</td>' for css, content in cells)
    below = listing(part, course, base)  # of the whole width, which may be small
    return f'<tr style="{line}">{told}</tr>' + (
        f'<tr style="background: none"><td colspan="{len(cells)}" style="{BELOW}">{below}</td></tr>'
        if below
        else ""
    )


def passed(part):
    if not part.exercises:
        return "no exercises"
    return f"{pill(part.state, WORDS[part.state])} &nbsp;{part.count} of {len(part.exercises)}"


def pill(state: str, word: str) -> str:
    """A sign and a word, on a ground of its colour; what is not yet has none."""
    look = (
        f"background: {GROUNDS[state]}; color: #fff; padding: 1px 8px"
        if state in GROUNDS
        else "padding: 1px 0"
    )
    return (
        f'<span style="{look}; border-radius: 9px; white-space: nowrap">'
        f"{SIGNS[state]} {word}</span>"
    )


def listing(part, course, base):
    """The exercises of a lesson; open where the learner is."""
    if not part.exercises:
        return ""
    here = course.live and course.next and course.next.lesson == part.lesson
    items = "".join(item(part, place, course.live, base) for place in part.exercises)
    return (
        f"<details{' open' if here else ''}>"
        f'<summary style="cursor: pointer">{len(part.exercises)} exercises</summary>'
        f'<ul style="list-style: none; padding: 0; margin: 2px 0 0">{items}</ul></details>'
    )


def item(part, place, live, base):
    link = f'<a href="{base}{place.address}">{marked(place.title)}</a>'
    done = place.name in part.passed
    state = pill(DONE, "passed") if done else pill(NOT_YET, "not yet")
    return f'<li style="{ITEM}">{link}{f" &nbsp;{state}" if live else ""}</li>'


def as_text(course: Overview) -> str:
    """The map for terminals."""
    lines = [course.words] if course.words else []
    if not course.live:
        lines.append(RUN)
    elif course.next is None:
        lines.append(f"✓ {FINISHED}")
    else:
        lines.append(f"▶ Next: {next_words(course)} (about {course.next.minutes} minutes)")
    for part in course.parts:
        lines.append(f"{part.lesson.number} {part.lesson.title} ({part.lesson.minutes} minutes)")
        for place in part.exercises:
            done = place.name in part.passed
            state = f"{SIGNS[DONE if done else NOT_YET]} " if course.live else ""
            lines.append(f"    {state}{place.title}{': passed' if done else ''}")
    return "\n".join(lines)
