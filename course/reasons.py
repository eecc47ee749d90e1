"""The reason codes that any exercise may give. A lesson's own codes stand in its checks.py."""

from course.exercise import Reason

COMMON = {
    "NOT_ATTEMPTED": Reason(
        "There is no answer here yet.",
        "Write your code in the answer cell and run it. Then run its check.",
    ),
    "NAME_MISSING": Reason(
        "The name `{name}` does not exist in this notebook.",
        "Run the answer cell first, and keep the name that it defines.",
    ),
    "RAISED": Reason(
        "Your code stopped with {error}.",
        "Read the last line of the message, then the marked line of your code.",
    ),
    "RETURNS_NONE": Reason(
        "Your function gave back None.",
        "A Python function without a `return` line gives back None. Return the result.",
    ),
    "WRONG_TYPE": Reason(
        "Your answer is {got}, and the exercise asks for something else.",
        "Read again what the answer must be: a tensor, a number, a list, a function …",
    ),
    "WRONG_SHAPE": Reason(
        "Your tensor has the shape {got}, which is not the shape that is asked for.",
        "Print the shapes of what goes in and of what comes out.",
    ),
    "WRONG_VALUE": Reason(
        "Your answer ran, but its result is not the right one in this case.",
        "Try your code on a small example for which you know the result.",
    ),
    "UNFORESEEN": Reason(
        "Your answer gave something that this check cannot read.",
        "Read again what the answer must give back, and give back plain tensors and numbers.",
    ),
    "NOT_CALLABLE": Reason(
        "`{name}` is {got}, not a function.",
        "Define it with `def {name}(…):` and do not use the name for anything else.",
    ),
}
# What RAISED says where no line of the answer is in the traceback.
RAISED_LATER = Reason(
    "The check stopped with {error}. None of your lines was running then: PyTorch or the check "
    "was using what your code made.",
    "Look at what your code gives back, at its hooks, and at the state that it leaves behind.",
)
