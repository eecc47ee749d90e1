"""Take away from this process, and from all its children, what a stranger's code must not reach.

    see_only([Bind("/usr", "/usr"), ...])      # once, in the zygote: files, network, identity
    pid = become_alone(Limits())               # in each fork of it: a process of its own

Linux namespaces do the work, without root: a process that has left them sees another file system,
no network, no other process. ``see_only`` builds a root folder out of read-only copies ("bind
mounts") of what is needed and moves into it; ``become_alone`` adds a folder to write in that is in
memory and limited, makes the process number 1 of a world that ends with it, and gives up every
privilege that the way there needed, and the system calls that no cell needs. The order of the steps
is that of bubblewrap, which cannot be used itself: it starts a program, and a warm process is worth
something because it is not started again. ``missing()`` says what this machine does not offer.
"""

import contextlib
import ctypes
import os
import signal
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

import psutil

from course.grading import linux, mounts
from course.grading.mounts import BIND, NO_DEVICES, NO_SETUID, PRIVATE, READ_ONLY, RECURSIVE
from course.grading.system_calls import deny_system_calls

NEWNS, NEWIPC, NEWUSER, NEWPID, NEWNET = 0x20000, 0x8000000, 0x10000000, 0x20000000, 0x40000000
DETACH = 2  # umount2: also what is in use
PIVOT_ROOT = {"x86_64": 155, "aarch64": 41}.get(os.uname().machine) if os.name == "posix" else None
PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_CAPBSET_DROP = 1, 4, 24
PR_SET_CHILD_SUBREAPER, PR_SET_NO_NEW_PRIVS = 36, 38
NOBODY, LEARNER = 65534, 1000
DEVICES = ("null", "zero", "full", "random", "urandom")
WORK = "/notebook"  # where a contained process may write; also its home


@dataclass(frozen=True)
class Bind:
    """A file or folder that stays visible, read-only, and where."""

    source: str
    target: str


@dataclass(frozen=True)
class Limits:
    """What one contained process, with its children, may use; bytes and seconds."""

    memory: int = 4 << 30  # of each process
    file_size: int = 64 << 20
    disk: int = 128 << 20  # in its folder and in /tmp, each
    processes: int = 128  # with threads
    open_files: int = 256
    cpu: int = 600


@cache
def missing() -> str | None:
    """What this machine lacks to contain a process, as half a sentence; None if nothing.

    >>> missing() is None or isinstance(missing(), str)
    True
    """
    if sys.platform != "linux":
        return f"namespaces, which Linux has and {sys.platform} has not"
    if PIVOT_ROOT is None:
        return f"the system call numbers of {os.uname().machine}"
    out, into = os.pipe()
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            os.close(out)
            see_only([])
            alone = become_alone(Limits())
            status = 0 if alone == 0 or os.waitpid(alone, 0)[1] == 0 else 1
        except OSError as error:
            os.write(into, str(error).encode()[:500])
        finally:
            os._exit(status)
    os.close(into)
    with open(out, "rb") as said:
        why = said.read().decode(errors="replace")
    status = os.waitpid(pid, 0)[1]
    return None if status == 0 else why or "a process could not be started in a namespace"


def see_only(binds: Iterable[Bind]) -> None:
    """Move this process into a root of its own that holds only ``binds``, without network.

    The process must have one thread. Raises linux.Refused.
    """
    privileged = os.geteuid() == 0
    try:
        linux.call("unshare", NEWNS | NEWIPC | NEWNET)
    except linux.Refused:
        privileged = False
        _new_user(NEWNS | NEWIPC | NEWNET)
    mounts.mount(None, "/", None, RECURSIVE | PRIVATE)
    root = tempfile.mkdtemp(prefix="contained-")
    mounts.mount("tmpfs", root, "tmpfs", NO_SETUID | NO_DEVICES, "mode=755,size=1m")
    for name in ("proc", "dev/shm", "tmp", WORK[1:]):
        os.makedirs(f"{root}/{name}", exist_ok=True)
    for bind in binds:
        mounts.bind(bind.source, root + bind.target, READ_ONLY | NO_SETUID | NO_DEVICES)
    for device in DEVICES:
        mounts.bind(f"/dev/{device}", f"{root}/dev/{device}", NO_SETUID)
    mounts.mount("/proc", f"{root}/proc", None, BIND | RECURSIVE)  # to be covered by one's own
    os.chdir(root)
    linux.check(linux.libc().syscall(PIVOT_ROOT, b".", b"."), "pivot_root")
    linux.call("umount2", b".", DETACH)
    os.chdir("/")
    mounts.set_attributes("/", READ_ONLY, recursive=False)
    if privileged:  # limits on processes do not hold for root
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)
        linux.call("prctl", PR_SET_DUMPABLE, 1, 0, 0, 0)  # else /proc/self belongs to root


def become_alone(limits: Limits) -> int:
    """Fork a process that sees no other one, with ``limits``; 0 in it and its number here.

    This process must have come out of ``see_only``, be of no further use, and wait for the other,
    which ends with it. Raises linux.Refused.
    """
    _new_user(NEWNS | NEWPID | NEWIPC)
    for place in (WORK, "/tmp", "/dev/shm"):
        if os.listdir(place):  # a Python that is installed in /tmp must stay there
            continue
        options = f"mode=777,size={limits.disk},nr_inodes=20000"
        mounts.mount("tmpfs", place, "tmpfs", NO_SETUID | NO_DEVICES, options)
    pid = os.fork()
    if pid:
        return pid
    linux.call("prctl", PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    try:
        mounts.mount("proc", "/proc", "proc", NO_SETUID | NO_DEVICES)
        linux.write("/proc/sys/user/max_user_namespaces", "0")
        linux.write("/proc/self/oom_score_adj", "1000")
    except OSError:  # a machine that hides parts of its own /proc
        mounts.mount("tmpfs", "/proc", "tmpfs", READ_ONLY)
    os.chdir(WORK)
    set_limits(limits)
    _drop_privileges()
    deny_system_calls()
    return 0


def set_limits(limits: Limits) -> None:
    """The limits that every process has of its own."""
    import resource  # not on Windows

    for kind, value in (
        (resource.RLIMIT_DATA, limits.memory),
        (resource.RLIMIT_FSIZE, limits.file_size),
        (resource.RLIMIT_NPROC, limits.processes),
        (resource.RLIMIT_NOFILE, limits.open_files),
        (resource.RLIMIT_CPU, limits.cpu),
        (resource.RLIMIT_CORE, 0),
    ):
        hard = resource.getrlimit(kind)[1]
        value = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(kind, (value, value))


def end_with_parent() -> None:
    """Have the kernel ask this process to end (SIGTERM) when the one that forked it has ended."""
    with contextlib.suppress(linux.Refused, AttributeError):  # not Linux
        linux.call("prctl", PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)


def adopt_orphans() -> None:
    """Without namespaces: be the parent of every descendant whose own parent has ended."""
    with contextlib.suppress(linux.Refused, AttributeError):  # not Linux
        linux.call("prctl", PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def kill_orphans() -> None:
    """End every process that descends from this one."""
    while descendants := psutil.Process().children(recursive=True):
        for process in descendants:
            with contextlib.suppress(psutil.Error):
                process.kill()
                process.wait(1)


def _new_user(also):
    """Be a user without rights outside, who has all rights in a new user namespace."""
    uid, gid = os.geteuid(), os.getegid()
    linux.call("unshare", NEWUSER | also)
    linux.write("/proc/self/setgroups", "deny")
    linux.write("/proc/self/uid_map", f"{LEARNER} {uid} 1")
    linux.write("/proc/self/gid_map", f"{LEARNER} {gid} 1")


def _drop_privileges():
    for capability in range(64):
        linux.libc().prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)  # fails for numbers not in use
    header, nothing = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
    linux.check(linux.libc().capset(header, nothing), "capset")
    linux.call("prctl", PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
