"""Ask Linux for what Python itself does not ask for, and say in a sentence what was refused.

    call("unshare", NEWUSER)               # a function of the C library
    write("/proc/self/setgroups", "deny")  # a file that is a question to the kernel

Every system can import this module, for the C library is looked for when it is called.
"""

import ctypes
import os


class Refused(OSError):
    """The machine does not let this process contain itself; the text says what was refused."""


def call(name: str, *args) -> None:
    """Call the C library's function of this name. Raises Refused."""
    check(getattr(libc(), name)(*args), name)


def check(result: int, what: str) -> None:
    """Raise Refused, with the name of ``what``, if the ``result`` of a C function is not 0."""
    if result != 0:
        number = ctypes.get_errno()
        raise Refused(number, f"this machine refuses {what} ({os.strerror(number)})")


def libc() -> ctypes.CDLL:
    """The C library of this process."""
    return ctypes.CDLL(None, use_errno=True)


def write(path: str, text: str) -> None:
    """Write a file of /proc. Raises Refused."""
    try:
        with open(path, "w") as file:
            file.write(text)
    except OSError as error:
        raise Refused(error.errno, f"this machine refuses to write {path}") from error
