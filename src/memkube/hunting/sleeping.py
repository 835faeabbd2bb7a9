"""Finds out whether a process waits without any timer, so that it does nothing until it receives something.

Linux shows in ``/proc/PID/task/TID/syscall`` in which system call a thread waits, and with which arguments.
"""

import platform
from pathlib import Path
from typing import Final

_NO_LIMIT: Final = {
    "x86_64": {
        **dict.fromkeys((0, 19, 34, 43, 45, 47, 61, 130, 247, 288)),  # read, readv, pause, accept, recvfrom, recvmsg,
        # wait4, rt_sigsuspend, waitid, accept4
        **dict.fromkeys((7, 128, 271), 3),  # poll, rt_sigtimedwait, ppoll
        **dict.fromkeys((202, 232, 281, 441), 4),  # futex, epoll_wait, epoll_pwait, epoll_pwait2
        **dict.fromkeys((23, 270), 5),  # select, pselect6
    },
    "aarch64": {
        **dict.fromkeys((63, 65, 95, 133, 202, 207, 212, 242, 260)),  # read, readv, waitid, rt_sigsuspend, accept,
        # recvfrom, recvmsg, accept4, wait4
        **dict.fromkeys((73, 137), 3),  # ppoll, rt_sigtimedwait
        **dict.fromkeys((22, 98, 441), 4),  # epoll_pwait, futex, epoll_pwait2
        72: 5,  # pselect6
    },
}
"""Numbers of system calls that can wait for ever, by architecture.

The values are the positions of the arguments that limit the time, counted from 1; None if there is no such argument.
"""
_MINUS_ONE: Final = (0xFFFFFFFF, 0xFFFFFFFFFFFFFFFF)
_IN_MILLISECONDS: Final = {"x86_64": (7, 232, 281), "aarch64": (22,)}
"""Those of the system calls in `_NO_LIMIT` that wait for ever if the limit is -1. For the others, it is a null pointer.
"""
_TIMER: Final = "anon_inode:[timerfd]"


def sleeps_for_good(pid: int) -> bool:
    """Return True if a process and its children can only be woken from outside: no thread runs or has a timer.

    Return False if this is not known, as on systems without ``/proc``.
    """
    process = Path(f"/proc/{pid}")
    try:
        if any(file.readlink() == Path(_TIMER) for file in (process / "fd").iterdir()):
            return False
        for thread in (process / "task").iterdir():
            if not _waits_for_ever((thread / "syscall").read_text()):
                return False
            if not all(sleeps_for_good(int(child)) for child in (thread / "children").read_text().split()):
                return False
    except OSError:
        return False
    return True


def _waits_for_ever(shown: str) -> bool:
    """Return True if a thread waits in a system call without a time limit; `shown` is the text of its ``syscall``."""
    words = shown.split()
    machine = platform.machine()
    known = _NO_LIMIT.get(machine, {})
    # The text is "running" if the thread is not waiting, and begins with -1 if it waits outside a system call.
    if not words[0].isdigit() or int(words[0]) not in known:
        return False
    number = int(words[0])
    position = known[number]
    if position is None:
        return True
    limit = int(words[position], 16)
    return limit in _MINUS_ONE if number in _IN_MILLISECONDS[machine] else limit == 0
