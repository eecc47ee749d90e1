"""What is said at the end of a run of the tests: the coverage table and the answer bank."""

import re
from collections import Counter

BANK = "test_an_answer_gets_the_points_and_the_reason_of_its_table"
# …::BANK[leaf_tensors-history:12 right a loop] or, with pytest-xdist, …]@group
ANSWER = re.compile(rf"test_answer_bank\.py::{BANK}\[\w+-\w+:\d+ (right|[A-Z_]+)\b")
FILES = re.compile(r"\btest_(coverage|answer_bank)\.py::")


def summary(reports, whole_table):
    """Give the lines for these reports: none, if neither of the two files ran."""
    reports = list(reports)
    if not any(FILES.search(report.nodeid) for report in reports):
        return []
    return [*coverage(whole_table), *answers(reports)]


def coverage(whole_table):
    from test_coverage import table  # here: most runs do not need it

    try:
        lines = table()
    except Exception as error:  # the tests of the table say more; here it only ends the run well
        return [f"coverage: no table: {type(error).__name__}: {error}"]
    shown = [line for line in lines if whole_table and line.kind != "exercise"]
    return [*map(in_words, shown), *verdict(lines)]


def verdict(lines):
    """Give one line on all of the table, and one for each fault."""
    kinds = Counter(line.kind for line in lines)
    faults = [fault for line in lines for fault in line.faults]
    missing = sum(bool(line.faults) for line in lines)
    counts = ", ".join(f"{kinds[kind]} {kind}s" for kind in ("fact", "misconception", "exercise"))
    said = f"{missing} not covered" if missing else "all covered"
    return [f"coverage: {counts}: {said}", *(f"  {fault}" for fault in faults)]


def in_words(line):
    places = {
        "lesson": line.lessons,
        "field guide": line.guide,
        "exercises": line.exercises,
    }
    found = " | ".join(f"{place}: {', '.join(names)}" for place, names in places.items() if names)
    return f"{line.kind}: {line.words} → {found}"


def answers(reports):
    """Count the answers of the bank that were judged as their table says."""
    judged = {}
    for report in reports:
        if match := ANSWER.search(report.nodeid):
            good = report.when == "call" and report.passed
            key = match[1] == "right", report.nodeid
            judged[key] = judged.get(key, False) or good
    if not judged:
        return []
    counts = []
    for right, word in ((True, "right"), (False, "wrong")):
        good = [ok for (is_right, _), ok in judged.items() if is_right == right]
        counts.append(f"{sum(good)} of {len(good)} {word}")
    return [f"answer bank: {' and '.join(counts)} answers were judged as their table says"]
