"""Starting, killing and restarting the process of an operator."""

import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memkube.hunting.description import Operator
from memkube.hunting.process import OperatorProcess


@pytest.fixture
def started(tmp_path: Path) -> Iterator[Callable[[str], OperatorProcess]]:
    """A function that starts a Python program as an operator."""
    processes: list[OperatorProcess] = []

    def start(program: str) -> OperatorProcess:
        operator = Operator(command=[sys.executable, "-c", program])
        process = OperatorProcess(operator, tmp_path, tmp_path / "kubeconfig", tmp_path / "log")
        processes.append(process)
        process.start()
        return process

    yield start
    for process in processes:
        process.stop()


def wait_for(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_output_is_kept_when_the_operator_is_killed(started: Callable[[str], OperatorProcess]) -> None:
    process = started("print('ready'); import time; time.sleep(60)")
    wait_for(lambda: bool(process.output))
    process.stop()
    assert process.output == "ready\n"


def test_a_killed_operator_stays_away_until_it_is_started(started: Callable[[str], OperatorProcess]) -> None:
    process = started("print('ready'); import time; time.sleep(60)")
    wait_for(lambda: "ready" in process.output)
    process.kill()
    process.revive()
    process.restart()
    assert process.is_away
    assert not process.is_working
    process.start()
    wait_for(lambda: process.output.count("ready") == 2)


def test_an_operator_that_ends_is_started_again(started: Callable[[str], OperatorProcess]) -> None:
    process = started("raise SystemExit(3)")

    def has_ended_twice() -> bool:
        process.revive()
        return len(process.exits) == 2

    wait_for(has_ended_twice)
    assert process.exits == [3, 3]
    assert process.is_working  # because it waits for its restart
    process.forgive()
    assert process.recent_exits == 0


def test_an_operator_that_sleeps_is_not_working(started: Callable[[str], OperatorProcess]) -> None:
    process = started("print('ready'); import time; time.sleep(60)")
    wait_for(lambda: "ready" in process.output and not process.is_working)


def test_a_paused_operator_goes_on(started: Callable[[str], OperatorProcess]) -> None:
    program = "import signal, time; signal.signal(signal.SIGCONT, lambda *_: print('goes on')); print('ready')"
    process = started(f"{program}\nwhile True: time.sleep(60)")
    wait_for(lambda: "ready" in process.output)
    process.pause()
    assert "goes on" not in process.output
    process.resume()
    wait_for(lambda: "goes on" in process.output)
