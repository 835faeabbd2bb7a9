from typing import Any

import httpx
import pytest

from memkube.apis.apps.v1.daemonsets.types import DaemonSetStatus
from memkube.apis.apps.v1.daemonsets.validation import validate_daemon_set, validate_daemon_set_status_update
from tests.apis.apps.v1.workloads import TEMPLATE, workload

_COUNT = "deprecated.daemonset.template.generation"
_SPEC = {"selector": {"matchLabels": {"app": "web"}}, "template": TEMPLATE}
_MERGE = {"Content-Type": "application/merge-patch+json"}


@pytest.fixture
def daemon_sets(namespace: str) -> str:
    """The URL path of the DaemonSets in the test's namespace."""
    return f"/apis/apps/v1/namespaces/{namespace}/daemonsets"


@pytest.mark.parametrize(
    ("strategy", "error"),
    [
        ({}, None),
        ({"type": "OnDelete", "rollingUpdate": {"maxSurge": 1}}, None),
        ({"rollingUpdate": {"maxUnavailable": 0, "maxSurge": "10%"}}, None),
        ({"rollingUpdate": {"maxSurge": 1}}, "maxSurge"),
        ({"rollingUpdate": {"maxUnavailable": 0}}, "maxUnavailable"),
        ({"rollingUpdate": {"maxUnavailable": "101%"}}, "maxUnavailable"),
        ({"type": "Odd"}, "updateStrategy"),
    ],
)
def test_an_update_goes_one_way_or_the_other(strategy: dict[str, Any], error: str | None) -> None:
    errors = validate_daemon_set(workload("DaemonSet", updateStrategy=strategy))
    assert [each.field.rpartition(".")[2] for each in errors] == ([error] if error else [])


def test_no_selector_selects_nothing() -> None:
    daemon_set = workload("DaemonSet")
    daemon_set.spec.selector = None
    assert [each.field for each in validate_daemon_set(daemon_set)] == ["spec.template.metadata.labels"]


def test_collisions_are_never_fewer() -> None:
    old, new = workload("DaemonSet"), workload("DaemonSet")
    old.status, new.status = DaemonSetStatus(collisionCount=2), DaemonSetStatus(numberReady=-1)
    fields = [each.field for each in validate_daemon_set_status_update(new, old)]
    assert fields == ["status.numberReady", "status.collisionCount"]


def test_changes_of_the_template_are_counted_in_an_annotation(client: httpx.Client, daemon_sets: str) -> None:
    body = {"metadata": {"name": "web", "annotations": {_COUNT: "7"}}, "spec": _SPEC}
    created = client.post(daemon_sets, json=body).json()
    assert created["metadata"]["annotations"] == {_COUNT: "7"}
    patch = {"metadata": {"annotations": {_COUNT: "3"}}, "spec": {"template": {"spec": {"hostNetwork": True}}}}
    changed = client.patch(f"{daemon_sets}/web", json=patch, headers=_MERGE).json()
    assert (changed["metadata"]["annotations"], changed["metadata"]["generation"]) == ({_COUNT: "8"}, 2)


@pytest.mark.parametrize(("count", "why"), [("x", "invalid syntax"), (str(2**63), "value out of range")])
def test_a_count_that_is_no_number_is_refused(client: httpx.Client, daemon_sets: str, count: str, why: str) -> None:
    body = {"metadata": {"name": "web", "annotations": {_COUNT: count}}, "spec": _SPEC}
    refused = client.post(daemon_sets, json=body)
    assert (refused.status_code, refused.json()["message"].endswith(f'"{count}": {why}')) == (400, True)


@pytest.mark.parametrize(("kind", "code"), [("merge", 422), ("strategic-merge", 500)])
def test_a_patch_with_a_count_that_is_no_number_is_refused(
    client: httpx.Client, daemon_sets: str, kind: str, code: int
) -> None:
    client.post(daemon_sets, json={"metadata": {"name": "web"}, "spec": _SPEC}).raise_for_status()
    headers = {"Content-Type": f"application/{kind}-patch+json"}
    body = {"metadata": {"annotations": {_COUNT: "x"}}}
    refused = client.patch(f"{daemon_sets}/web", json=body, headers=headers)
    assert (refused.status_code, refused.json()["message"][-15:]) == (code, " invalid syntax")


def test_the_count_is_no_annotation_where_only_metadata_is_shown(client: httpx.Client, daemon_sets: str) -> None:
    metadata = {"name": "web", "annotations": {"mine": "1"}}
    client.post(daemon_sets, json={"metadata": metadata, "spec": _SPEC}).raise_for_status()
    accept = {"Accept": "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"}
    shown = client.get(f"{daemon_sets}/web", headers=accept).json()
    assert shown["metadata"]["annotations"] == {"mine": "1"}
