"""One error or warning of PyTorch, put in plain words."""

from typing import NamedTuple


class Meaning(NamedTuple):
    """`{name}` in the words stands for the group of that name in the pattern."""

    pattern: str  # a regular expression, found anywhere in the message
    happened: str  # what happened, and why PyTorch does not allow it or warns of it
    do: str  # what to do
