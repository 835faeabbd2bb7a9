import json
import subprocess
from collections.abc import Iterator

import httpx
import pytest

from memkube import Memkube, Refused
from tests.cli.processes import MEMKUBE, run_memkube

MAPS = "/api/v1/namespaces/default/configmaps"


@pytest.fixture
def kube() -> Iterator[Memkube]:
    with Memkube(controllers="none") as running:
        yield running


@pytest.fixture
def operator(kube: Memkube) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=kube.url, trust_env=False, headers={"user-agent": "my-operator/1"}) as client:
        yield client


def test_it_prints_a_table(kube: Memkube, operator: httpx.Client, environment: dict[str, str]) -> None:
    operator.get(f"{MAPS}/a")
    head, line = run_memkube(environment, "requests", "-s", kube.url).stdout.splitlines()
    assert head.split()[:4] == ["TIME", "CLIENT", "VERB", "RESOURCE"]
    assert line.split()[1:7] == ["my-operator", "get", "configmaps", "default", "a", "404"]


def test_it_chooses(kube: Memkube, operator: httpx.Client, environment: dict[str, str]) -> None:
    operator.get(f"{MAPS}/a")
    operator.get(MAPS)
    httpx.get(f"{kube.url}{MAPS}")
    options = ("list", "config*", "--by", "my-operator", "--status", "200", "-o", "json")
    found = json.loads(run_memkube(environment, "requests", *options, "-s", kube.url).stdout)
    assert [(request["verb"], request["client"]) for request in found] == [("list", "my-operator")]


def test_it_chooses_those_without_the_right(environment: dict[str, str]) -> None:
    with Memkube(controllers="none", authorization="RBAC", token="secret") as kube:
        with pytest.raises(Refused):
            kube.user("alice").list("pods")
        with pytest.raises(Refused):
            kube.get("pods", "missing")
        asked = {**environment, "MEMKUBE_TOKEN": "secret"}
        found = json.loads(run_memkube(asked, "requests", "--denied", "-o", "json", "-s", kube.url).stdout)
    assert [(request["user"], request["verb"], request["denied"]) for request in found] == [("alice", "list", True)]


def test_it_forgets(kube: Memkube, operator: httpx.Client, environment: dict[str, str]) -> None:
    operator.get(MAPS)
    assert run_memkube(environment, "requests", "--clear", "-s", kube.url).stdout == "1\n"
    assert len(kube.requests) == 0


def test_it_follows(kube: Memkube, operator: httpx.Client, environment: dict[str, str]) -> None:
    operator.get(MAPS)
    command = (*MEMKUBE, "requests", "--follow", "-o", "json", "-s", kube.url)
    with subprocess.Popen(command, env=environment, text=True, stdout=subprocess.PIPE) as following:
        assert following.stdout is not None
        assert json.loads(following.stdout.readline())["verb"] == "list"
        operator.get(f"{MAPS}/a")
        assert json.loads(following.stdout.readline())["verb"] == "get"
        following.kill()
