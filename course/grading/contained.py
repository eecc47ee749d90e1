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
import errno
import os
import signal
import struct
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import psutil

NEWNS, NEWIPC, NEWUSER, NEWPID, NEWNET = 0x20000, 0x8000000, 0x10000000, 0x20000000, 0x40000000
READ_ONLY, NO_SETUID, NO_DEVICES, BIND, RECURSIVE, PRIVATE = 1, 2, 4, 0x1000, 0x4000, 1 << 18
DETACH, AT_FDCWD, AT_RECURSIVE = 2, -100, 0x8000
PIVOT_ROOT = {"x86_64": 155, "aarch64": 41}.get(os.uname().machine) if os.name == "posix" else None
MOUNT_SETATTR = 442
PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS = 1, 4, 24, 38
PR_SET_SECCOMP, FILTER, PR_SET_CHILD_SUBREAPER = 22, 2, 36
NOBODY, LEARNER = 65534, 1000
DEVICES = ("null", "zero", "full", "random", "urandom")
MACHINES = {"x86_64": (0xC000003E, 0), "aarch64": (0xC00000B7, 1)}  # seccomp's number, our column
DENIED = {  # system calls, with their numbers on x86_64 and aarch64
    # memory that is counted for no process: it would have no limit
    **{"memfd_create": (319, 279), "memfd_secret": (447, 447), "shmget": (29, 194)},
    **{"msgget": (68, 186), "semget": (64, 190)},
    # ways into other processes, and parts of the kernel that had many faults and that no cell needs
    **{"ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271)},
    **{"bpf": (321, 280), "perf_event_open": (298, 241), "userfaultfd": (323, 282)},
    **{"io_uring_setup": (425, 425), "io_uring_enter": (426, 426)},
    **{"add_key": (248, 217), "request_key": (249, 218), "keyctl": (250, 219)},
    **{"unshare": (272, 97), "setns": (308, 268), "mount": (165, 40), "umount2": (166, 39)},
    **{"open_tree": (428, 428), "move_mount": (429, 429), "fsopen": (430, 430)},
    **{"mount_setattr": (442, 442), "syslog": (103, 116)},
}
SOCKET, FAMILIES = (41, 198), (1, 2, 10, 16)  # unix, internet, netlink: those of this namespace
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


class Refused(OSError):
    """The machine does not let this process contain itself; the text says what was refused."""


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

    The process must have one thread. Raises Refused.
    """
    privileged = os.geteuid() == 0
    try:
        _call("unshare", NEWNS | NEWIPC | NEWNET)
    except Refused:
        privileged = False
        _new_user(NEWNS | NEWIPC | NEWNET)
    _mount(None, "/", None, RECURSIVE | PRIVATE)
    root = tempfile.mkdtemp(prefix="contained-")
    _mount("tmpfs", root, "tmpfs", NO_SETUID | NO_DEVICES, "mode=755,size=1m")
    for name in ("proc", "dev/shm", "tmp", WORK[1:]):
        os.makedirs(f"{root}/{name}", exist_ok=True)
    for bind in binds:
        _bind(bind.source, root + bind.target, READ_ONLY | NO_SETUID | NO_DEVICES)
    for device in DEVICES:
        _bind(f"/dev/{device}", f"{root}/dev/{device}", NO_SETUID)
    _mount("/proc", f"{root}/proc", None, BIND | RECURSIVE)  # to be covered by one's own
    os.chdir(root)
    _check(_libc().syscall(PIVOT_ROOT, b".", b"."), "pivot_root")
    _call("umount2", b".", DETACH)
    os.chdir("/")
    _set_attributes("/", READ_ONLY, recursive=False)
    if privileged:  # limits on processes do not hold for root
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)
        _call("prctl", PR_SET_DUMPABLE, 1, 0, 0, 0)  # else /proc/self belongs to root


def become_alone(limits: Limits) -> int:
    """Fork a process that sees no other one, with ``limits``; 0 in it and its number here.

    This process must have come out of ``see_only``, be of no further use, and wait for the other,
    which ends with it. Raises Refused.
    """
    _new_user(NEWNS | NEWPID | NEWIPC)
    for place in (WORK, "/tmp", "/dev/shm"):
        if os.listdir(place):  # a Python that is installed in /tmp must stay there
            continue
        options = f"mode=777,size={limits.disk},nr_inodes=20000"
        _mount("tmpfs", place, "tmpfs", NO_SETUID | NO_DEVICES, options)
    pid = os.fork()
    if pid:
        return pid
    _call("prctl", PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    try:
        _mount("proc", "/proc", "proc", NO_SETUID | NO_DEVICES)
        _write("/proc/sys/user/max_user_namespaces", "0")
        _write("/proc/self/oom_score_adj", "1000")
    except OSError:  # a machine that hides parts of its own /proc
        _mount("tmpfs", "/proc", "tmpfs", READ_ONLY)
    os.chdir(WORK)
    set_limits(limits)
    _drop_privileges()
    _deny_system_calls()
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
    with contextlib.suppress(Refused, AttributeError):  # not Linux
        _call("prctl", PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)


def adopt_orphans() -> None:
    """Without namespaces: be the parent of every descendant whose own parent has ended."""
    with contextlib.suppress(Refused, AttributeError):  # not Linux
        _call("prctl", PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


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
    _call("unshare", NEWUSER | also)
    _write("/proc/self/setgroups", "deny")
    _write("/proc/self/uid_map", f"{LEARNER} {uid} 1")
    _write("/proc/self/gid_map", f"{LEARNER} {gid} 1")


def _drop_privileges():
    for capability in range(64):
        _libc().prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)  # fails for numbers not in use
    header, nothing = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
    _check(_libc().capset(header, nothing), "capset")
    _call("prctl", PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)


def _deny_system_calls():
    """Have the kernel refuse what DENIED names, to this process and all that it starts.

    Sockets of families that no namespace keeps apart (to the machine's host, say) are refused too.
    """
    number, column = MACHINES[os.uname().machine]
    denied = [numbers[column] for numbers in DENIED.values()]
    load, equal, at_least, give = 0x20, 0x15, 0x35, 0x06  # of seccomp's small language
    allow, refuse, kill = 0x7FFF0000, 0x00050000 | errno.EPERM, 0x80000000
    to_refuse = len(denied) + 3 + len(FAMILIES)  # lines between the first of `denied` and refuse
    program = [
        (load, 0, 0, 4),  # the machine whose numbers are meant
        (equal, 1, 0, number),
        (give, 0, 0, kill),
        (load, 0, 0, 0),  # the number of the call
        (at_least, to_refuse, 0, 0x40000000),  # other numbers for the same calls
        *((equal, to_refuse - i - 1, 0, call) for i, call in enumerate(denied)),
        (equal, 1, 0, SOCKET[column]),
        (give, 0, 0, allow),
        (load, 0, 0, 16),  # its first argument
        *((equal, len(FAMILIES) - i, 0, family) for i, family in enumerate(FAMILIES)),
        (give, 0, 0, refuse),
        (give, 0, 0, allow),
    ]
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *line) for line in program))
    header = struct.pack("HP", len(program), ctypes.addressof(code))
    _call("prctl", PR_SET_SECCOMP, FILTER, header, 0, 0)


def _bind(source, target, attributes):
    path = Path(target)
    if os.path.isdir(source):
        path.mkdir(parents=True, exist_ok=True)
    else:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch(exist_ok=True)
    _mount(source, target, None, BIND | RECURSIVE)
    _set_attributes(target, attributes)


def _set_attributes(path, attributes, recursive=True):
    attr = (ctypes.c_uint64 * 4)(attributes, 0, 0, 0)
    flags = AT_RECURSIVE if recursive else 0
    size = ctypes.c_size_t(ctypes.sizeof(attr))
    done = _libc().syscall(MOUNT_SETATTR, AT_FDCWD, path.encode(), flags, attr, size)
    _check(done, f"mount_setattr {path}")


def _mount(source, target, kind, flags, options=""):
    raw = [None if text is None else text.encode() for text in (source, target, kind)]
    done = _libc().mount(*raw, ctypes.c_ulong(flags), options.encode())
    _check(done, f"mount {target}")


def _write(path, text):
    try:
        with open(path, "w") as file:
            file.write(text)
    except OSError as error:
        raise Refused(error.errno, f"this machine refuses to write {path}") from error


def _call(name, *args):
    _check(getattr(_libc(), name)(*args), name)


def _check(result, what):
    if result != 0:
        number = ctypes.get_errno()
        raise Refused(number, f"this machine refuses {what} ({os.strerror(number)})")


def _libc():
    return ctypes.CDLL(None, use_errno=True)
