import json
from collections.abc import Iterator

import pytest
import yaml

from memkube import Memkube, Refused
from tests.cli.processes import run_memkube


@pytest.fixture
def kube() -> Iterator[Memkube]:
    with Memkube(controllers="none", authorization="RBAC", token="secret") as running:
        yield running


@pytest.fixture
def environment(environment: dict[str, str]) -> dict[str, str]:
    return {**environment, "MEMKUBE_TOKEN": "secret"}


def _is_refused(kube: Memkube) -> bool:
    try:
        kube.service_account("default", "operator").list("pods", namespace="default")
    except Refused:
        return True
    return False


def test_it_prints_the_missing_role_as_yaml(kube: Memkube, environment: dict[str, str]) -> None:
    assert _is_refused(kube)
    options = ("--who", "system:serviceaccount:default:operator", "--refused")
    printed = run_memkube(environment, "audit", *options, "-s", kube.url).stdout
    assert printed.startswith("# system:serviceaccount:default:operator: 1 request, 1 of them refused\n---\n")
    kube.apply(printed)
    assert not _is_refused(kube)
    (role, _) = yaml.safe_load_all(printed)
    assert role["rules"] == [{"apiGroups": [""], "resources": ["pods"], "verbs": ["list"]}]


def test_it_prints_a_list_as_json(kube: Memkube, environment: dict[str, str]) -> None:
    assert _is_refused(kube)
    printed = json.loads(run_memkube(environment, "audit", "-o", "json", "-s", kube.url).stdout)
    assert [(item["kind"], item["metadata"]["name"]) for item in printed["items"]] == [
        ("Role", "operator"),
        ("RoleBinding", "operator"),
    ]


def test_it_says_that_no_role_is_needed(kube: Memkube, environment: dict[str, str]) -> None:
    done = run_memkube(environment, "audit", "--who", "nobody", "-s", kube.url)
    assert (done.stdout, done.stderr) == ("", "no requests need a role\n")
