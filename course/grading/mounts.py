"""Mount file systems, and show files and folders at a second place, with fewer rights.

    mount("tmpfs", root, "tmpfs", NO_SETUID, "size=1m")  # a new one, in memory
    bind("/usr", root + "/usr", READ_ONLY)               # /usr with all that is mounted in it

Only this process and its children see what is mounted, if it has left the namespace of mounts that
it was started in. All of it raises linux.Refused.
"""

import ctypes
import os
from pathlib import Path

from course.grading import linux

READ_ONLY, NO_SETUID, NO_DEVICES, BIND, RECURSIVE, PRIVATE = 1, 2, 4, 0x1000, 0x4000, 1 << 18
AT_FDCWD, AT_RECURSIVE = -100, 0x8000
MOUNT_SETATTR = 442  # the number of the system call, which the C library may not know


def bind(source: str, target: str, attributes: int) -> None:
    """Show the file or folder ``source`` as ``target`` too, which is made if it is not there."""
    path = Path(target)
    if os.path.isdir(source):
        path.mkdir(parents=True, exist_ok=True)
    else:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch(exist_ok=True)
    mount(source, target, None, BIND | RECURSIVE)
    set_attributes(target, attributes)


def mount(source: str | None, target: str, kind: str | None, flags: int, options: str = "") -> None:
    """Mount ``source`` at ``target``: mount(2), with ``options`` as the kind of file system has."""
    raw = [None if text is None else text.encode() for text in (source, target, kind)]
    done = linux.libc().mount(*raw, ctypes.c_ulong(flags), options.encode())
    linux.check(done, f"mount {target}")


def set_attributes(path: str, attributes: int, recursive: bool = True) -> None:
    """Have READ_ONLY, NO_SETUID or NO_DEVICES hold at ``path``, also for what is mounted in it.

    A flag of ``mount`` would hold for the outermost of them only: mount_setattr(2), Linux 5.12.
    """
    attr = (ctypes.c_uint64 * 4)(attributes, 0, 0, 0)
    flags = AT_RECURSIVE if recursive else 0
    size = ctypes.c_size_t(ctypes.sizeof(attr))
    done = linux.libc().syscall(MOUNT_SETATTR, AT_FDCWD, path.encode(), flags, attr, size)
    linux.check(done, f"mount_setattr {path}")
