"""``python -m course check LESSON``: what an author reads where a bank of answers has a fault."""

from dataclasses import replace

import pytest

from course.check_cli import check_bank
from course.lessons import find_lesson
from course.lessons.tensor_hooks import checks

HOOKS = find_lesson("tensor_hooks")
BANK = (HOOKS.folder / "answers.py").read_text("utf-8")
LAST = BANK.count("\n") + 3  # the line of a header that is added after two empty lines


@pytest.fixture
def said(tmp_path, monkeypatch, capsys):
    """Judge another bank of lesson 3, in a course of another place: the status and the words."""
    lesson = replace(HOOKS, home=tmp_path / "course" / "lessons")
    lesson.folder.mkdir(parents=True)
    monkeypatch.chdir(tmp_path)

    def check(bank):
        (lesson.folder / "answers.py").write_text(bank, "utf-8")
        status = check_bank(lesson)
        spoken = capsys.readouterr()
        return status, (spoken.err + spoken.out).splitlines()

    return check


PLACE = "course/lessons/tensor_hooks/answers.py"
FAULTS = {
    "a misspelt exercise": (
        "right scal_gradient: misspelt",
        f"{PLACE}:{LAST}: there is no exercise 'scal_gradient'; there are: firing_order, scale_",
    ),
    "a reason code without a sentence": (
        "wrong scale_gradient NO_SUCH 0: a code",
        f"{PLACE}:{LAST}: the reason code 'NO_SUCH' of exercise 'scale_gradient' has no sentence: "
        "write it in reasons.py, or correct the code here.",
    ),
    "a header of another form": ("ok scale_gradient", f"{PLACE}:{LAST}: `# %% ok scale_gradient`"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_header_that_cannot_be_right_is_one_sentence_with_file_and_line(fault, said):
    header, words = FAULTS[fault]
    status, [line] = said(f"{BANK}\n\n# %% {header}\nx = 1\n")
    assert status == 1
    assert line.startswith(words)


def test_an_answer_that_does_not_run_or_is_marked_otherwise_is_named_with_its_line(said):
    status, lines = said(
        f"{BANK}\n\n# %% right only_positive: not Python\ndef only(:\n"
        "# %% wrong only_positive WRONG_VALUE 7: nothing\nx = 1\n"
    )
    total = BANK.count("\n# %% ") + BANK.startswith("# %% ") + 2
    assert status == 1
    assert len(lines) == 3
    start = f"{PLACE}:{LAST} only_positive (not Python): cannot be run: SyntaxError: "
    assert lines[0].startswith(start)
    start = f"{PLACE}:{LAST + 2} only_positive (nothing): table ('WRONG_VALUE', 7.0), marked ("
    assert lines[1].startswith(start)
    assert f"{total - 2} of {total} answers marked as the table says" in lines[2]


def test_too_few_answers_are_said_and_are_a_failure(said):
    cells = ("# %% " + cell for cell in BANK.split("# %% ")[1:])
    kept = [cell for cell in cells if not cell.startswith("# %% right only_positive")]
    status, [line, _] = said("".join(kept))
    wrong = BANK.count("# %% wrong only_positive ")
    assert status == 1
    assert line == (
        f"{PLACE}: exercise 'only_positive' has 0 right and {wrong} wrong answers; "
        "it needs 3 right and 6 wrong ones."
    )


def test_a_diagnosis_without_a_sentence_names_exercise_code_and_file(said, monkeypatch):
    monkeypatch.setattr(checks.only_positive, "diagnose", staticmethod(lambda *_: "NO_WORDS"))
    status, [line] = said(BANK)
    assert status == 1
    assert line.startswith(f"{PLACE}:")
    assert line.endswith(
        "The exercise only_positive gives the reason code 'NO_WORDS', which has no sentence: write "
        "it in course/lessons/tensor_hooks/reasons.py, or correct the code in "
        "course/lessons/tensor_hooks/checks.py."
    )


def test_the_bank_as_it_is_has_nothing_to_say_but_its_size(said):
    status, [line] = said(BANK)
    assert status == 0
    assert line.startswith("tensor_hooks: ")
