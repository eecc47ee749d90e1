"""What a learner is given in place of a solution.

An exercise's answer cell is written with its reference solution in it. Releasing the exercise
removes every line from ``### BEGIN SOLUTION`` to ``### END SOLUTION`` and puts a stub there: the
usual "your code here", or the author's own starting code, written as comments after a line
``### BEGIN STUB``. The builder, nbgrader's preprocessor and the notebook's reset all call the one
function below, so they cannot disagree. Pure text: standard library only.
"""

DEFAULT_STUB = "# YOUR CODE HERE\nraise NotImplementedError()"
BEGIN_STUB = "BEGIN STUB"


def release_text(
    source: str,
    stub: str = DEFAULT_STUB,
    *,
    begin: str = "BEGIN SOLUTION",
    end: str = "END SOLUTION",
) -> str:
    """Return ``source`` as a learner gets it.

    >>> print(release_text('''def double(x):
    ...     ### BEGIN SOLUTION
    ...     return 2 * x
    ...     ### BEGIN STUB
    ...     # return x  # wrong: repair me
    ...     ### END SOLUTION'''))
    def double(x):
        return x  # wrong: repair me

    Stub lines start, after their indentation, with ``# ``, which is taken away; a bare ``#`` is an
    empty line. A region without a stub part is replaced by ``stub``, indented like its first line.
    As in nbgrader, a marker is found anywhere in its line. Text without a region is returned as
    it is. Raises ValueError when regions are nested, not closed or not opened, and when a stub
    line is not a comment.
    """
    released: list[str] = []
    region: list[str] | None = None  # what replaces the region that is open, if one is
    own_stub = False
    for number, line in enumerate(source.split("\n"), start=1):
        if begin in line:
            if region is not None:
                raise ValueError(f"line {number}: {begin} inside a region that is still open")
            region, own_stub = _indented(stub, like=line), False
        elif end in line:
            if region is None:
                raise ValueError(f"line {number}: {end} without a {begin} before it")
            released += region
            region = None
        elif BEGIN_STUB in line:
            if region is None or own_stub:
                raise ValueError(
                    f"line {number}: {BEGIN_STUB} belongs once, inside a {begin} region"
                )
            region, own_stub = [], True
        elif region is None:
            released.append(line)
        elif own_stub:
            region.append(_uncommented(line, number))
    if region is not None:
        raise ValueError(f"a {begin} region has no {end}")
    return "\n".join(released)


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def _indented(stub: str, *, like: str) -> list[str]:
    return [_indent(like) + line for line in stub.split("\n")]


def _uncommented(line: str, number: int) -> str:
    text = line.strip()
    if text == "#":
        return ""
    if not text.startswith("# "):
        raise ValueError(f"line {number}: a stub line must start with '# ', this one is {text!r}")
    return _indent(line) + line.lstrip()[2:]
