"""Item analysis: how hard each exercise was, and how well it tells strong from weak learners.

    for item in analyse(marks, reasons):
        print(item.name, item.share, item.discrimination)

The words are explained in docs/instructor/report.md.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from course.gradebook.marks import Marks
from course.gradebook.reasons import Reasons

ROUNDING = 1e-6  # points added up one by one may differ from their sum by this much
FEWEST = 3  # learners: two always lie on a line


@dataclass(frozen=True)
class Item:
    """An exercise, or one of its cells. A share is from 0 to 1, and None where there is none."""

    notebook: str
    name: str
    points: float
    submissions: int
    unmarked: int  # of them, without all their marks: left out of what follows
    mean: float | None  # points
    share: float | None  # of the points
    full: float | None  # share of learners with all points
    zero: float | None  # share of learners without a point, answers untouched included
    untouched: float | None  # share of learners who left the answer as it was
    discrimination: float | None  # correlation of these points with those for the rest, -1 to 1
    reasons: dict[str, int]  # code → learners, the most frequent first
    cells: tuple["Item", ...] = ()


def analyse(marks: Marks, reasons: Reasons | None = None) -> list[Item]:
    """The exercises with their cells, the hardest first: ``analyse(marks)``."""
    codes = reasons.codes if reasons else {}
    exercises = {}
    for column, cell in enumerate(marks.cells):
        exercises.setdefault((cell.notebook, cell.exercise), []).append(column)
    return _hardest_first(
        _item(
            marks,
            codes,
            exercise,
            columns,
            _hardest_first(_item(marks, codes, marks.cells[c].name, [c]) for c in columns),
        )
        for (_, exercise), columns in exercises.items()
    )


def correlation(one: np.ndarray, other: np.ndarray) -> float | None:
    """Pearson's r of the pairs without nan; None if there are under 3 or one side is constant."""
    both = np.isfinite(one) & np.isfinite(other)
    one, other = one[both], other[both]
    if len(one) < FEWEST or np.ptp(one) < ROUNDING or np.ptp(other) < ROUNDING:
        return None
    return float(np.clip(np.corrcoef(one, other)[0, 1], -1, 1))


def _item(marks: Marks, codes, name: str, columns: Sequence[int], cells=()) -> Item:
    notebook = marks.cells[columns[0]].notebook
    handed_in = marks.there[:, columns].any(axis=1)
    points = float(sum(marks.cells[c].points for c in columns))
    got = marks.scores[:, columns].sum(axis=1)  # nan when one of the marks is not there
    given = got[np.isfinite(got)]
    left = marks.untouched[handed_in][:, columns].any(axis=1)
    mean = _mean(given)
    return Item(
        notebook=notebook,
        name=name,
        points=points,
        submissions=int(handed_in.sum()),
        unmarked=int((handed_in & ~np.isfinite(got)).sum()),
        mean=mean,
        share=mean / points if mean is not None and points else None,
        full=_mean(given >= points - ROUNDING) if points else None,
        zero=_mean(given <= ROUNDING) if points else None,
        untouched=_mean(left) if all(marks.cells[c].answered for c in columns) else None,
        discrimination=correlation(got, _rest(marks, columns)),
        reasons=_learners_of_each(marks, codes, columns),
        cells=tuple(cells),
    )


def _rest(marks, columns):
    """The share of the points that each learner got for the other cells, as far as marked."""
    scores = np.delete(marks.scores, columns, axis=1)
    points = np.delete(np.array([cell.points for cell in marks.cells]), columns)
    possible = np.where(np.isfinite(scores), points, 0).sum(axis=1)
    shares = np.full(len(scores), np.nan)
    np.divide(np.nansum(scores, axis=1), possible, out=shares, where=possible > 0)
    return shares


def _learners_of_each(marks, codes, columns):
    """A learner counts once for a code, in however many cells of the exercise it stands."""
    counts = Counter()
    for learner in marks.learners:
        counts.update(
            set().union(
                *(
                    codes.get((learner, marks.cells[c].notebook, marks.cells[c].name), ())
                    for c in columns
                )
            )
        )
    return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))


def _mean(values):
    return float(np.mean(values)) if len(values) else None


def _hardest_first(items):
    return sorted(items, key=lambda i: (i.share is None, i.share or 0, i.notebook, i.name))
