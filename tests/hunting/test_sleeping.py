"""The hunt knows whether a process only waits for input, or will wake by itself because it has a timer."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from memkube.hunting.sleeping import sleeps_for_good

pytestmark = pytest.mark.skipif(
    not os.access("/proc/self/syscall", os.R_OK), reason="this system does not show what a thread waits for"
)
_SLEEPERS = {
    "a read": "sys.stdin.read()",
    "a socket": "socket.create_server(('127.0.0.1', 0)).accept()",
    "an event": "threading.Event().wait()",
    "a selector without a limit": "select.select([sys.stdin], [], [])",
    "two threads": "threading.Thread(target=sys.stdin.read).start()",
    "a child": "subprocess.run(['cat'])",
}
_WAKING = {
    "a pause": "time.sleep(99)",
    "an event with a limit": "threading.Event().wait(99)",
    "a selector with a limit": "select.select([sys.stdin], [], [], 99)",
    "a poll with a limit": "p = select.poll(); p.register(0); p.poll(99_000)",
    "an epoll with a limit": "e = select.epoll(); e.register(0); e.poll(99)",
    "one of two threads": "threading.Thread(target=time.sleep, args=[99]).start(); sys.stdin.read()",
    "a pause of a child": "subprocess.run(['sleep', '99'])",
    "work": "exec('while True: pass')",
}


@contextmanager
def running(program: str) -> Iterator[int]:
    """Run a program in Python, and yield its process id when it begins its last statement."""
    before, _, last = program.rpartition("; ")
    modules = "import select, socket, subprocess, sys, threading, time"
    command = [sys.executable, "-c", "; ".join([modules, *filter(None, [before]), "print(flush=True)", last])]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True) as process:
        assert process.stdout
        process.stdout.readline()
        try:
            yield process.pid
        finally:
            os.killpg(process.pid, signal.SIGKILL)


@pytest.mark.parametrize("program", _SLEEPERS.values(), ids=_SLEEPERS.keys())
def test_a_process_that_waits_without_a_limit_sleeps_for_good(program: str) -> None:
    with running(program) as pid:
        deadline = time.monotonic() + 60
        while not sleeps_for_good(pid):
            assert time.monotonic() < deadline
            time.sleep(0.01)


@pytest.mark.parametrize("program", _WAKING.values(), ids=_WAKING.keys())
def test_a_process_with_a_timer_does_not_sleep_for_good(program: str) -> None:
    with running(program) as pid:
        deadline = time.monotonic() + 0.5
        while time.monotonic() < deadline:
            assert not sleeps_for_good(pid)


def test_a_process_that_has_ended_does_not_sleep() -> None:
    with subprocess.Popen(["true"]) as process:
        process.wait()
    assert not sleeps_for_good(process.pid)
