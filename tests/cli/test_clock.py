import json
from collections.abc import Iterator
from datetime import datetime

import pytest

from memkube import Memkube
from tests.cli.processes import run_memkube


@pytest.fixture
def kube() -> Iterator[Memkube]:
    with Memkube(clock="stepped", controllers="none") as running:
        yield running


def test_it_shows_the_time_and_how_it_goes(kube: Memkube, environment: dict[str, str]) -> None:
    done = run_memkube(environment, "clock", "show", "--server", kube.url)
    time, how = done.stdout.split(" ", 1)
    assert (datetime.fromisoformat(time), how) == (kube.clock.now(), "stepped\n")


@pytest.mark.parametrize(("length", "seconds"), [("90", 90), ("0.5", 0.5), ("1m30s", 90)])
def test_it_moves_a_stepped_clock(kube: Memkube, environment: dict[str, str], length: str, seconds: float) -> None:
    before = kube.clock.now()
    done = run_memkube(environment, "clock", "advance", length, "-s", kube.url, "-o", "json")
    now = datetime.fromisoformat(json.loads(done.stdout)["now"])
    assert (now, (now - before).total_seconds()) == (kube.clock.now(), seconds)


def test_it_finds_the_server_by_the_environment(kube: Memkube, environment: dict[str, str]) -> None:
    by_address = run_memkube({**environment, "MEMKUBE_SERVER": kube.url}, "clock", "show", "-o", "json")
    by_kubeconfig = run_memkube({**environment, "KUBECONFIG": str(kube.kubeconfig)}, "clock", "show", "-o", "json")
    assert json.loads(by_address.stdout) == json.loads(by_kubeconfig.stdout)
    assert json.loads(by_address.stdout)["mode"] == "stepped"


def test_a_clock_that_runs_by_itself_is_not_moved(environment: dict[str, str]) -> None:
    with Memkube(controllers="none") as real:
        done = run_memkube(environment, "clock", "advance", "1", "-s", real.url)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("memkube: the clock is not stepped")


def test_what_is_no_duration_is_wrong_usage(environment: dict[str, str]) -> None:
    done = run_memkube(environment, "clock", "advance", "soon")
    assert (done.returncode, 'invalid duration "soon"' in done.stderr) == (2, True)


def test_nobody_who_answers_is_said_in_one_line(environment: dict[str, str]) -> None:
    done = run_memkube(environment, "clock", "show", "-s", "http://127.0.0.1:1")
    hint = "start one with `memkube serve`, or name one with --server"
    expected = f"memkube: no server answers at http://127.0.0.1:1: Connection refused; {hint}\n"
    assert (done.returncode, done.stdout, done.stderr) == (1, "", expected)


def test_time_moves_until_a_condition_holds(kube: Memkube, environment: dict[str, str]) -> None:
    before = kube.clock.now()
    until = ("clock", "advance", "10", "--until")
    met = run_memkube(environment, *until, "namespace/default", "create", "-s", kube.url)
    assert (met.returncode, datetime.fromisoformat(met.stdout.strip())) == (0, before)
    failed = run_memkube(environment, *until, "pod/web", "create", "-s", kube.url)
    assert (failed.returncode, failed.stderr) == (
        1,
        "memkube: the clock has advanced, but the condition was not met: pod/web create\n",
    )


def test_clients_settle(kube: Memkube, environment: dict[str, str]) -> None:
    assert run_memkube(environment, "clock", "settle", "nobody", "-s", kube.url).returncode == 0
