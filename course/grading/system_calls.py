"""The system calls that no cell needs: have the kernel refuse them.

    deny_system_calls()  # once, in the process that will run cells
    os.memfd_create("")  # PermissionError, in all that it starts as well

The kernel runs a small program, the filter, before each system call of a process that has given
itself one, and no process can get rid of its own: seccomp(2). It is a list of what is refused, not
of what is allowed, for torch and Python need more calls than anybody can list.
"""

import ctypes
import errno
import os
import struct

from course.grading import linux

PR_SET_SECCOMP, FILTER = 22, 2
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


def deny_system_calls() -> None:
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
    linux.call("prctl", PR_SET_SECCOMP, FILTER, header, 0, 0)
