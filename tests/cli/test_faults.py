import json
from collections.abc import Iterator

import httpx
import pytest

from memkube import Memkube
from tests.cli.processes import run_memkube

PODS = "/api/v1/namespaces/default/pods"


@pytest.fixture
def kube() -> Iterator[Memkube]:
    with Memkube(controllers="none", clock="stepped") as running:
        yield running


def test_a_fault_is_added_listed_and_removed(kube: Memkube, environment: dict[str, str]) -> None:
    at = {**environment, "MEMKUBE_SERVER": kube.url}
    options = ["--verb", "list", "--verb", "get", "--resource", "pods", "--first", "1"]
    added = run_memkube(at, "faults", "add", "error", "code=429", "retry-after-seconds=2", *options)
    assert (added.stdout, added.stderr) == ("error-1\n", "")
    answers = [httpx.get(f"{kube.url}{PODS}") for _ in range(2)]
    assert [(answer.status_code, answer.headers.get("retry-after")) for answer in answers] == [(429, "2"), (200, None)]
    told = "error-1: error (code 429, retry-after-seconds 2, verbs list get, resources pods), hit 1 of 2\n"
    assert run_memkube(at, "faults", "list").stdout == told
    assert run_memkube(at, "faults", "remove", "error-1").stdout == told
    assert json.loads(run_memkube(at, "faults", "list", "-o", "json").stdout) == []


def test_all_faults_are_removed(kube: Memkube, environment: dict[str, str]) -> None:
    at = {**environment, "MEMKUBE_SERVER": kube.url}
    for name in ("a", "b"):
        shown = run_memkube(at, "faults", "add", "delay-events", "types=ADDED,DELETED", "--called", name, "-o", "json")
        assert json.loads(shown.stdout)["effect"]["types"] == ["ADDED", "DELETED"]
    assert len(run_memkube(at, "faults", "remove", "--all").stdout.splitlines()) == 2
    assert list(kube.faults) == []


def test_watches_are_closed_and_history_is_forgotten(kube: Memkube, environment: dict[str, str]) -> None:
    at = {**environment, "MEMKUBE_SERVER": kube.url}
    assert run_memkube(at, "faults", "close-watches", "--resource", "pods", "--how", "expired").stdout == "0\n"
    assert run_memkube(at, "faults", "compact-history").stdout == f"{kube.revision()}\n"


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["add", "error", "code=409"], 2, "only writes conflict"),
        (["add", "compact-histroy"], 2, "did you mean 'compact-history'"),
        (["add", "error", "code=429", "retry-after-second=1"], 2, "did you mean 'retry-after-seconds'"),
        (["add", "error", "code=500", "retry-after-seconds=1"], 2, "retry-after-seconds requires code 429"),
        (["add", "drop", "--first", "0"], 2, "first: Input should be greater than or equal to 1"),
        (["add", "error", "429"], 2, "'429' is not of the form KEY=VALUE"),
        (["remove", "nothing"], 1, 'faults "nothing" not found'),
        (["remove"], 2, "names of the faults to remove, or --all"),
    ],
)
def test_what_makes_no_sense_is_said(
    kube: Memkube, environment: dict[str, str], words: list[str], code: int, said: str
) -> None:
    done = run_memkube({**environment, "MEMKUBE_SERVER": kube.url}, "faults", *words)
    assert (done.returncode, said in done.stderr) == (code, True), done.stderr
