"""Advancing the clock until a condition is met, and waiting for external clients."""

import re
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

import memkube
from memkube import faults

MAPS = "/api/v1/namespaces/default/configmaps"
OPERATOR = "noting-operator"


@pytest.fixture
def kube() -> Iterator[memkube.Memkube]:
    with memkube.Memkube(clock="stepped") as running:
        yield running


@contextmanager
def operator(kube: memkube.Memkube, thinks: float = 0.02) -> Iterator[None]:
    """Run the operator until the block ends. It has started its watch."""
    program = Path(__file__).with_name("reacting.py")
    command = [sys.executable, str(program), kube.url, str(thinks)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "started\n"
            while not list(kube.requests.of("watch").by(OPERATOR).under_way()):
                assert process.poll() is None
            yield
        finally:
            process.kill()


def pod(name: str, image: str) -> dict[str, Any]:
    spec = {"restartPolicy": "Never", "containers": [{"name": "main", "image": image}]}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": spec}


def run_jobs(kube: memkube.Memkube) -> None:
    for seconds in (30, 60):
        kube.behaviors.put(f"ends-{seconds}", {"image": f"ends:{seconds}", "exitCode": 0, "exitAfterSeconds": seconds})
        kube.apply(pod(f"after-{seconds}", f"ends:{seconds}"))


def noted(kube: memkube.Memkube) -> dict[str, str]:
    maps = kube.objects("configmaps", "default")
    return {m["metadata"]["name"]: m["metadata"]["creationTimestamp"] for m in maps if "after" in m["metadata"]["name"]}


def test_time_stops_where_a_condition_holds_first(kube: memkube.Memkube) -> None:
    run_jobs(kube)
    kube.clock.advance(until=("pods", "after-30", "jsonpath={.status.phase}=Succeeded"))
    phases = {name: kube.object("pods", name)["status"]["phase"] for name in ("after-30", "after-60")}
    assert phases == {"after-30": "Succeeded", "after-60": "Running"}
    ended = kube.object("pods", "after-30")["status"]["containerStatuses"][0]["state"]["terminated"]["finishedAt"]
    assert f"{kube.clock.now():%Y-%m-%dT%H:%M:%SZ}" == ended


def test_time_does_not_move_where_the_condition_holds_already(kube: memkube.Memkube) -> None:
    before = kube.clock.now()
    assert kube.clock.advance(60, until=("namespaces", "default", "create")) == before


def test_a_condition_that_does_not_come_is_told_with_the_last_state(kube: memkube.Memkube) -> None:
    kube.apply(pod("web", "nginx:1"))
    before = kube.clock.now()
    with pytest.raises(
        memkube.WaitTimeout, match=r"pods web: delete .* 5 s of the server's clock; last seen: .*phase Running"
    ):
        kube.clock.advance(5, until=("pods", "web", "delete"))
    assert kube.clock.now() == before + timedelta(seconds=5)


def test_a_function_may_be_the_condition(kube: memkube.Memkube) -> None:
    run_jobs(kube)
    kube.clock.advance(until=("po", "after-60", lambda pod: pod["status"]["phase"] == "Succeeded", "default"))
    assert kube.object("pods", "after-60")["status"]["phase"] == "Succeeded"


def test_time_stops_when_nothing_is_written_any_more(kube: memkube.Memkube) -> None:
    run_jobs(kube)
    start = kube.clock.now()
    now = kube.clock.advance(quiet_for=45)
    assert {kube.object("pods", f"after-{n}")["status"]["phase"] for n in (30, 60)} == {"Succeeded"}
    assert timedelta(seconds=105) <= now - start <= timedelta(seconds=125)


@pytest.mark.alone
def test_an_operator_outside_reacts_at_each_instant(kube: memkube.Memkube) -> None:
    start = kube.clock.now()
    with operator(kube):
        run_jobs(kube)
        kube.clock.advance(90, clients=[OPERATOR])
        after = {name: stamp for name, stamp in noted(kube).items() if name.endswith("modified")}
    ended = [
        kube.object("pods", f"after-{n}")["status"]["containerStatuses"][0]["state"]["terminated"]["finishedAt"]
        for n in (30, 60)
    ]
    assert [after["after-30-modified"], after["after-60-modified"]] == ended
    assert kube.clock.now() == start + timedelta(seconds=90)


@pytest.mark.alone
def test_an_operator_outside_has_settled(kube: memkube.Memkube) -> None:
    with operator(kube, thinks=0.05):
        run_jobs(kube)
        kube.clock.advance(40)
        kube.settle([OPERATOR], silent=0.5)
        assert list(noted(kube)) == ["after-30-modified"]


def test_who_is_busy_is_told(kube: memkube.Memkube) -> None:
    kube.settle()  # The server's controllers are busy at first
    headers = {"user-agent": "slow/1"}
    with (
        ThreadPoolExecutor() as pool,
        httpx.Client(base_url=kube.url, trust_env=False, headers=headers) as http,
        kube.faults.add(faults.delay(30), called="slow-reads", verb="get", resource="configmaps") as fault,
    ):
        waiting = pool.submit(http.get, f"{MAPS}/a")
        while not fault.hits:
            assert not waiting.done()
        with pytest.raises(memkube.WaitTimeout) as raised:
            kube.settle(["slow"], timeout=1e-6)
        kube.settle(["others"])
        kube.clock.advance(30)
    reason = r"get configmaps/a -n default of slow has been in progress for [\d.]+ s, hit by the fault slow-reads"
    assert re.fullmatch(rf"not settled within 1e-06 s: {reason}", str(raised.value))


def test_a_client_that_does_not_read_has_not_settled(kube: memkube.Memkube) -> None:
    with (
        httpx.Client(base_url=kube.url, trust_env=False, headers={"user-agent": "deaf/1"}) as http,
        http.stream("GET", MAPS, params={"watch": "1"}) as stream,
    ):
        lines = stream.iter_lines()
        assert next(lines)
        for letter in "abcdefghijklmnopqrstuvwxyz":
            kube.apply(large(letter))
        with pytest.raises(memkube.WaitTimeout, match=r"watch configmaps -n default of deaf has \d+ bytes that"):
            kube.settle(["deaf"], timeout=0.3)


def large(letter: str) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "large"},
        "data": {"text": letter * 500_000},
    }


def test_everybody_is_waited_for_without_names(kube: memkube.Memkube) -> None:
    with httpx.Client(base_url=kube.url, trust_env=False) as http:
        http.get(MAPS)
        kube.settle()


@pytest.mark.anyio
async def test_an_event_loop_goes_on_meanwhile(kube: memkube.Memkube) -> None:
    start = kube.clock.now()
    run_jobs(kube)
    twin = kube.asynchronous
    now = await twin.clock.advance(until=("pods", "after-30", "jsonpath={.status.phase}=Succeeded"))
    await twin.settle()
    assert timedelta(seconds=30) <= now - start < timedelta(seconds=60)


@pytest.mark.parametrize("condition", ["ready", "jsonpath=.status", "condition=", "jsonpath={.a}b"])
def test_a_condition_that_there_is_not_is_refused(kube: memkube.Memkube, condition: str) -> None:
    with pytest.raises(ValueError, match="unknown condition"):
        kube.clock.advance(until=("pods", "web", condition))


@pytest.mark.parametrize(
    ("choices", "problem"),
    [
        ({"seconds": "90s"}, "seconds must be a number of seconds, not '90s'"),
        ({"quiet_for": "1m"}, "quiet_for must be a number of seconds, not '1m'"),
        ({}, "advance needs at least one of seconds, until and quiet_for"),
        ({"until": ("pods", "a", "create"), "quiet_for": 1}, "give either until or quiet_for, not both"),
    ],
)
def test_wrong_arguments_of_advance_are_refused(choices: dict[str, Any], problem: str) -> None:
    with (
        memkube.Memkube(controllers="none", clock="stepped") as kube,
        pytest.raises(memkube.UsageError, match=problem),
    ):
        kube.clock.advance(**choices)
