"""Nothing is taught in passing: each fact is shown, each misconception has a trap.

``table()`` puts what ``taught.py`` says beside the lessons, the field guide and the exercises.
``summary.py`` prints it at the end of a run.
"""

import re
import runpy
from collections import defaultdict
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import pytest
import summary
from taught import LEFT_OUT, MISCONCEPTIONS, TAUGHT, Fact

from course.answers import read_bank
from course.guide import traps
from course.lessons import LESSONS
from course.reasons import COMMON

pytestmark = pytest.mark.machine

LESSON_FACTS = Path(__file__).parent / "lesson_facts"
DOCUMENTS = {"000", "001", "002", "003", "004"}


@dataclass(frozen=True)
class Line:
    """A line of the table. ``faults`` say, in words, what is not covered."""

    kind: str  # fact, misconception or exercise
    words: str
    lessons: tuple[str, ...]
    guide: tuple[str, ...]
    exercises: tuple[str, ...]  # "lesson/name"
    faults: tuple[str, ...]


@cache
def table() -> tuple[Line, ...]:
    """Every fact, misconception and exercise: where it is taught, and what is not covered."""
    facts = [line_of_fact(fact) for fact in TAUGHT]
    misconceptions = [line_of_misconception(known) for known in MISCONCEPTIONS]
    practised = {name for fact in TAUGHT for name in full_names(fact)}
    exercises = [
        Line("exercise", name, (name.split("/")[0],), (), (name,), faults)
        for name in exercise_names()
        for faults in [() if name in practised else (f"{name} practises no fact",)]
    ]
    return (*facts, *misconceptions, *exercises)


def line_of_fact(fact: Fact) -> Line:
    names = full_names(fact)
    shown = fact.shows is not None and any(fact.shows in text for text in printed(fact.lesson))
    faults = []
    if fact.lesson not in {lesson.name for lesson in LESSONS}:
        faults.append(f"there is no lesson {fact.lesson!r}")
    if fact.shows is not None and not shown:
        faults.append(f"not in lesson_facts/{fact.lesson}.py: {fact.shows!r}")
    faults += [f"there is no exercise {name!r}" for name in names if name not in exercise_names()]
    faults += [f"the field guide has no {slug!r}" for slug in fact.guide if slug not in guide()]
    faults += [f"there is no document {d!r}" for d in fact.documents if d not in DOCUMENTS]
    if not (shown or names or fact.guide):
        faults.append("neither shown nor practised nor in the field guide")
    return Line(
        "fact",
        fact.words,
        (fact.lesson,),
        fact.guide,
        names,
        tuple(f"{fact.lesson}, {fact.words!r}: {fault}" for fault in faults),
    )


def line_of_misconception(known: str) -> Line:
    entries = [trap for trap in guide().values() if known in trap.covers]
    told = [name for trap in entries for name in told_apart().get(trap.slug, ())]
    covered = entries or known in LEFT_OUT
    return Line(
        "misconception",
        f"{known} {MISCONCEPTIONS[known]}",
        tuple(dict.fromkeys(trap.lesson for trap in entries)),
        tuple(trap.slug for trap in entries),
        tuple(dict.fromkeys(told)),
        () if covered else (f"{known} is covered by no trap and not left out",),
    )


def full_names(fact: Fact) -> tuple[str, ...]:
    return tuple(name if "/" in name else f"{fact.lesson}/{name}" for name in fact.exercises)


@cache
def printed(lesson: str) -> list[str]:
    """What the executed lesson must print: test_lessons.py runs it and compares."""
    path = LESSON_FACTS / f"{lesson}.py"
    return runpy.run_path(str(path))["FACTS"] if path.exists() else []


@cache
def exercise_names() -> tuple[str, ...]:
    found = []
    for lesson in LESSONS:
        path = lesson.folder / "exercises.py"
        text = path.read_text("utf-8") if path.exists() else ""
        names = re.findall(r'^# %% exercise="(\w+)"', text, re.MULTILINE)
        found += [f"{lesson.name}/{name}" for name in names]
    return tuple(found)


@cache
def guide():
    return {trap.slug: trap for trap in traps()}


@cache
def reasons(lesson):
    path = lesson.folder / "reasons.py"
    return runpy.run_path(str(path))["REASONS"] if path.exists() else {}


@cache
def told_apart() -> dict[str, list[str]]:
    """Slug of a trap → the exercises that send a learner there: their banks hold such an answer."""
    found = defaultdict(list)
    for lesson in LESSONS:
        path = lesson.folder / "answers.py"
        for entry in read_bank(path.read_text("utf-8")) if path.exists() else ():
            reason = reasons(lesson).get(entry.code)
            if reason is not None and reason.guide:
                found[reason.guide].append(f"{lesson.name}/{entry.exercise}")
    return found


@pytest.mark.parametrize("kind", ["fact", "misconception", "exercise"])
def test_everything_is_covered(kind):
    assert [fault for line in table() if line.kind == kind for fault in line.faults] == []


def test_every_trap_covers_misconceptions_that_exist():
    unknown = [(t.slug, c) for t in traps() for c in t.covers if c not in MISCONCEPTIONS]
    assert unknown == []


def test_every_reason_leads_to_a_trap_that_exists():
    named = [
        (where, code, reason.guide)
        for where, known in [("common", COMMON), *((x.name, reasons(x)) for x in LESSONS)]
        for code, reason in known.items()
        if reason.guide
    ]
    assert [entry for entry in named if entry[2] not in guide()] == []


def test_what_is_left_out_is_a_misconception_with_a_reason_and_without_a_trap():
    covered = {c for trap in traps() for c in trap.covers}
    assert [k for k, why in LEFT_OUT.items() if k not in MISCONCEPTIONS or not why] == []
    assert [k for k in LEFT_OUT if k in covered] == []


def test_no_fact_is_written_down_twice():
    facts = [(fact.lesson, fact.words) for fact in TAUGHT]
    assert [fact for fact in facts if facts.count(fact) > 1] == []


def test_every_lesson_and_every_document_has_facts():
    assert {fact.lesson for fact in TAUGHT} == {lesson.name for lesson in LESSONS}
    assert {document for fact in TAUGHT for document in fact.documents} == DOCUMENTS


@pytest.mark.parametrize(
    ("fact", "words"),
    [
        (Fact("no_lesson", "…", None, guide=("del-handle",)), "there is no lesson 'no_lesson'"),
        (Fact("leaf_tensors", "…", "never printed"), "not in lesson_facts/leaf_tensors.py"),
        (
            Fact("leaf_tensors", "…", None, ("double",)),
            "there is no exercise 'leaf_tensors/double'",
        ),
        (Fact("leaf_tensors", "…", None, guide=("no-trap",)), "the field guide has no 'no-trap'"),
        (Fact("leaf_tensors", "…", None), "neither shown nor practised nor in the field guide"),
    ],
    ids=lambda value: value if isinstance(value, str) else "fact",
)
def test_a_fact_that_is_not_covered_is_named_with_its_fault(fact, words):
    faults = line_of_fact(fact).faults
    assert any(words in fault and fault.startswith(f"{fact.lesson}, '…': ") for fault in faults)


def report(name, when="call", passed=True):
    return SimpleNamespace(nodeid=f"tests/test_{name}", when=when, passed=passed)


@pytest.mark.parametrize("group", ["", "@test_answer_bank"])
def test_the_summary_counts_the_answers_that_were_judged_as_their_table_says(group):
    answers = f"answer_bank.py::{summary.BANK}[leaf_tensors-history:"
    reports = [
        report(f"{answers}12 right a loop]{group}", "setup"),
        report(f"{answers}12 right a loop]{group}"),
        report(f"{answers}12 right a loop]{group}", "teardown"),
        report(f"{answers}20 WRONG_ORDER forward]{group}"),
        report(f"{answers}30 WRONG_ORDER the right way round]{group}", passed=False),
        report(f"{answers}40 RAISED never set up]{group}", "setup", passed=False),
        report(f"answer_bank.py::test_a_right_answer_is_right[a-b:12 right a loop]{group}"),
    ]
    assert summary.answers(reports) == [
        "answer bank: 1 of 1 right and 1 of 3 wrong answers were judged as their table says"
    ]


def test_the_summary_names_what_is_not_covered():
    lines = [
        Line("fact", "one", ("leaf_tensors",), (), (), ()),
        Line("fact", "two", ("leaf_tensors",), ("a-trap",), ("leaf_tensors/x",), ("two is lost",)),
    ]
    assert summary.verdict(lines[:1]) == [
        "coverage: 1 facts, 0 misconceptions, 0 exercises: all covered"
    ]
    assert summary.verdict(lines) == [
        "coverage: 2 facts, 0 misconceptions, 0 exercises: 1 not covered",
        "  two is lost",
    ]
    assert summary.in_words(lines[1]) == (
        "fact: two → lesson: leaf_tensors | field guide: a-trap | exercises: leaf_tensors/x"
    )


@pytest.mark.parametrize(("file", "said"), [("coverage", True), ("trace", False)])
def test_the_summary_is_silent_when_neither_file_ran(file, said):
    assert bool(summary.summary([report(f"{file}.py::test_it@test_{file}")], False)) is said
