"""Facts: the plain data that an exercise's ``observe`` reports about a learner's answer.

Facts cross borders (a kernel, a file, another process), so they hold only exact Python
numbers, strings, booleans, None, lists and dicts with string keys. ``describe`` turns any
object, friendly or not, into facts; ``same`` compares two facts the way a check should:
numbers within a tolerance, everything else exactly. No torch is imported here: a tensor is
recognised by its class, so that facts can be compared where torch is not installed.
"""

import math

RELATIVE, ABSOLUTE = 1e-4, 1e-6  # float32 keeps about 7 digits; sums lose a few of them
LONGEST = 4096  # elements of a tensor kept in facts


def describe(thing):
    """Give facts about any object.

    >>> describe(3), describe([1, None]), describe(print)["kind"]
    (3, [1, None], 'builtin_function_or_method')

    A tensor becomes ``{"tensor": [2], "dtype": "float32", "values": [1.0, 2.0]}``; a list, a
    tuple or a torch.Size becomes a list; a number of numpy becomes a number. What an object of a
    derived class holds is read with the methods of the built-in class, and any other object is
    described by the name of its class alone: no method that a learner wrote is called.
    """
    kind = type(thing)
    if thing is None or kind is bool:
        return thing
    if issubclass(kind, int):
        return int.__int__(thing)
    if issubclass(kind, float):
        return number(float.__float__(thing))
    if issubclass(kind, str):
        return str.__str__(thing)
    if issubclass(kind, list):
        return [describe(item) for item in list.__iter__(thing)]
    if issubclass(kind, tuple):
        return [describe(item) for item in tuple.__iter__(thing)]
    if issubclass(kind, dict):
        return {str(describe(key)): describe(value) for key, value in dict.items(thing)}
    if is_tensor(thing):
        tensor = thing.detach()
        values = [number(v) for v in tensor.flatten()[:LONGEST].tolist()]
        dtype = str(tensor.dtype).removeprefix("torch.")
        return {"tensor": list(tensor.shape), "dtype": dtype, "values": values}
    if kind.__module__ == "numpy" and kind.__name__ != "ndarray" and hasattr(kind, "item"):
        return describe(thing.item())
    return {"kind": kind.__name__}


def describe_number(thing):
    """Like ``describe``, but a tensor that holds one number is that number."""
    facts = describe(thing)
    if isinstance(facts, dict) and len(facts.get("values", ())) == 1:
        return facts["values"][0]
    return facts


def is_tensor_facts(facts):
    """Whether facts are those of a tensor, as ``describe`` gives them."""
    return isinstance(facts, dict) and "tensor" in facts


def is_tensor(thing):
    """Say whether an object is a torch.Tensor or a Parameter, not a class made to look like it."""
    kind = type(thing)
    names = ("Tensor", "Parameter")
    return kind.__module__ in ("torch", "torch.nn.parameter") and kind.__name__ in names


def kind_of(facts):
    """Name for a message what ``describe`` saw, e.g. 'None' or 'a tensor of shape [2]'."""
    if facts is None:
        return "None"
    if isinstance(facts, dict) and "tensor" in facts:
        shape = facts["tensor"]
        return f"a tensor of shape {shape}" if shape else "a tensor with one number"
    if isinstance(facts, dict) and set(facts) == {"kind"}:
        return f"an object of class {facts['kind']}"
    if isinstance(facts, list):
        return f"a list or tuple of {len(facts)}"
    if isinstance(facts, dict):
        return f"a dict with {len(facts)} {'key' if len(facts) == 1 else 'keys'}"
    names = {bool: "True or False", int: "a number", float: "a number", str: "a string"}
    return names.get(type(facts), type(facts).__name__)


def number(value):
    """Keep infinities and nan as words: JSON has no place for them."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, complex):
        return str(value)
    return value


def same(got, expected):
    """Compare two facts: numbers within a tolerance, everything else exactly.

    >>> same({"grad": 1.0}, {"grad": 1.0000001}), same([1, 2], [1]), same(True, 1)
    (True, False, False)

    Keys that begin with ``_`` are evidence for a message and are not compared.
    """
    if isinstance(expected, bool) or isinstance(got, bool):
        return got is expected
    if isinstance(expected, (int, float)):
        is_number = isinstance(got, (int, float))
        return is_number and math.isclose(got, expected, rel_tol=RELATIVE, abs_tol=ABSOLUTE)
    if isinstance(expected, dict):
        keys = compared(expected)
        return (
            isinstance(got, dict)
            and compared(got) == keys
            and all(same(got[key], expected[key]) for key in keys)
        )
    if isinstance(expected, list):
        return (
            isinstance(got, list)
            and len(got) == len(expected)
            and all(same(g, e) for g, e in zip(got, expected, strict=True))
        )
    return type(got) is type(expected) and got == expected


def compared(facts):
    return {key for key in facts if not key.startswith("_")}


def assert_plain(facts, path="facts"):
    """Refuse anything but exact plain data, naming where it is.

    >>> assert_plain({"a": object()})
    Traceback (most recent call last):
    TypeError: facts['a'] is an object of class 'object': use describe() in observe.
    """
    kind = type(facts)
    if facts is None or kind in (bool, int, float, str):
        return
    if kind is list:
        for index, item in enumerate(facts):
            assert_plain(item, f"{path}[{index}]")
    elif kind is dict:
        for key, value in facts.items():
            if type(key) is not str:
                raise TypeError(
                    f"{path} has a key that is not a string: use describe() in observe."
                )
            assert_plain(value, f"{path}[{key!r}]")
    else:
        raise TypeError(
            f"{path} is an object of class {kind.__name__!r}: use describe() in observe."
        )
