"""Versions without a conversion webhook, which differ in their schemas: stored fields and managedFields."""

import json
import uuid
from collections.abc import Callable
from typing import Any

import httpx
import pytest

_DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
_MERGE = {"Content-Type": "application/merge-patch+json"}
_APPLY = {"Content-Type": "application/apply-patch+yaml"}


class Kind:
    """A kind with two versions, for one test: v1 (the storage version) has size and colour, v2 has size and shade."""

    def __init__(self, client: httpx.Client) -> None:
        self.client = client
        self.group = f"g{uuid.uuid4().hex[:8]}.example.com"
        self.spec = {
            "group": self.group,
            "scope": "Cluster",
            "names": {"plural": "dots", "singular": "dot", "kind": "Dot"},
            "versions": [_version("v1", "colour"), _version("v2", "shade")],
        }
        body = {"metadata": {"name": self.name}, "spec": self.spec}
        client.post(_DEFINITIONS, json=body).raise_for_status()
        self.wait(lambda: self.get("v1").status_code == 200)

    @property
    def name(self) -> str:
        return f"dots.{self.group}"

    def wait(self, until: Callable[[], bool]) -> None:
        """Wait until the server has followed a change of the definition."""
        query = {"watch": "1", "timeoutSeconds": "1", "fieldSelector": f"metadata.name={self.name}"}
        for _ in range(20):
            with self.client.stream("GET", _DEFINITIONS, params=query) as events:
                for _ in events.iter_lines():
                    if until():
                        return
            if until():
                return
        raise AssertionError("the server has not followed")

    def redefine(self, change: Callable[[list[dict[str, Any]]], object]) -> None:
        change(self.spec["versions"])  # type: ignore[arg-type]  # it is the list
        patch = json.dumps({"spec": {"versions": self.spec["versions"]}})
        self.client.patch(f"{_DEFINITIONS}/{self.name}", content=patch, headers=_MERGE).raise_for_status()

    def address(self, version: str, name: str = "") -> str:
        return f"/apis/{self.group}/{version}/dots/{name}".rstrip("/")

    def get(self, version: str, name: str = "") -> httpx.Response:
        return self.client.get(self.address(version, name))

    def create(self, version: str, **spec: Any) -> dict[str, Any]:
        body = {"apiVersion": f"{self.group}/{version}", "kind": "Dot", "metadata": {"name": "a"}, "spec": spec}
        return self.client.post(self.address(version), json=body).raise_for_status().json()  # type: ignore[no-any-return]

    def patch(self, version: str, **spec: Any) -> dict[str, Any]:
        content = json.dumps({"spec": spec} if spec else {})
        answer = self.client.patch(self.address(version, "a"), content=content, headers=_MERGE)
        return answer.raise_for_status().json()  # type: ignore[no-any-return]

    def apply(self, version: str, manager: str, **spec: Any) -> httpx.Response:
        body = {"apiVersion": f"{self.group}/{version}", "kind": "Dot", "metadata": {"name": "a"}, "spec": spec}
        query = {"fieldManager": manager}
        return self.client.patch(self.address(version, "a"), params=query, content=json.dumps(body), headers=_APPLY)


def _version(name: str, field: str) -> dict[str, Any]:
    spec = {"type": "object", "properties": {"size": {"type": "integer"}, field: {"type": "string"}}}
    schema = {"type": "object", "properties": {"spec": spec}}
    return {"name": name, "served": True, "storage": name == "v1", "schema": {"openAPIV3Schema": schema}}


def _properties(version: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = version["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]
    return found


@pytest.fixture
def kind(client: httpx.Client) -> Kind:
    return Kind(client)


def test_a_change_that_storage_does_not_show_is_no_change(kind: Kind) -> None:
    created = kind.create("v1", size=1)
    assert kind.patch("v1")["metadata"]["resourceVersion"] == created["metadata"]["resourceVersion"]


def test_a_default_that_came_later_is_written_with_the_next_update(kind: Kind) -> None:
    created = kind.create("v1", size=1)
    kind.redefine(lambda versions: _properties(versions[0])["colour"].update(default="red"))
    kind.wait(lambda: kind.get("v1", "a").json()["spec"] == {"size": 1, "colour": "red"})
    assert kind.get("v1", "a").json()["metadata"]["resourceVersion"] == created["metadata"]["resourceVersion"]
    assert kind.patch("v1")["metadata"]["resourceVersion"] != created["metadata"]["resourceVersion"]


def _store_in_v2(versions: list[dict[str, Any]]) -> None:
    versions[0]["storage"], versions[1]["storage"] = False, True


def test_objects_are_read_by_the_schema_that_they_were_written_with(kind: Kind) -> None:
    created = kind.create("v1", size=1, colour="red")
    kind.redefine(_store_in_v2)
    kind.redefine(lambda versions: _properties(versions[1]).update(extra={"type": "string", "default": "x"}))
    kind.wait(lambda: "x" in kind.client.get(f"{_DEFINITIONS}/{kind.name}").text)
    assert kind.get("v1", "a").json()["spec"] == {"size": 1, "colour": "red"}
    assert kind.get("v2", "a").json()["spec"] == {"size": 1}
    moved = kind.patch("v2")
    assert moved["metadata"]["resourceVersion"] != created["metadata"]["resourceVersion"]
    assert kind.get("v1", "a").json()["spec"] == {"size": 1}


def test_owners_are_forgotten_where_a_version_lacks_what_is_written(kind: Kind) -> None:
    kind.create("v1", size=1)
    assert "managedFields" not in kind.patch("v2", shade="dark")["metadata"]


def test_an_apply_is_refused_where_a_version_lacks_what_is_written(kind: Kind) -> None:
    kind.apply("v1", "one", size=1).raise_for_status()
    refused = kind.apply("v2", "two", shade="dark")
    assert refused.status_code == 500
    assert refused.json()["message"] == "failed to convert new object: .spec.shade: field not declared in schema"


def test_what_was_applied_in_another_version_is_given_up(kind: Kind) -> None:
    kind.apply("v1", "one", size=1).raise_for_status()
    given_up = kind.apply("v2", "one").raise_for_status().json()
    assert given_up["spec"] == {}
    [entry] = given_up["metadata"]["managedFields"]
    assert (entry["apiVersion"], entry["fieldsV1"]) == (f"{kind.group}/v2", {"f:spec": {}})


def test_what_was_written_in_another_version_is_checked_before_what_is_applied(kind: Kind) -> None:
    kind.redefine(lambda versions: _properties(versions[1]).update(size={"type": "string"}))
    kind.wait(lambda: kind.get("v2").status_code == 200)
    kind.create("v1", size=1)
    assert "managedFields" not in kind.patch("v2", shade="dark")["metadata"]
    refused = kind.apply("v2", "two", size=1)
    assert refused.json()["message"].startswith("failed to create manager for existing fields: failed to convert new")


def test_an_apply_that_changes_nothing_fills_in_no_defaults(kind: Kind) -> None:
    kind.redefine(_store_in_v2)
    kind.redefine(lambda versions: _properties(versions[0]).update(colour={"type": "string", "default": "red"}))
    kind.wait(lambda: "red" in kind.client.get(f"{_DEFINITIONS}/{kind.name}").text)
    kind.create("v1", size=1)
    applied = kind.apply("v1", "one", size=1).json()
    assert (applied["metadata"]["generation"], applied["spec"]) == (1, {"size": 1})


@pytest.mark.parametrize(("apart", "owned"), [(["v2"], False), (["v1", "v2"], True)])
def test_a_status_leaves_owners_alone_in_versions_that_have_it_apart(kind: Kind, apart: list[str], owned: bool) -> None:
    kind.redefine(lambda versions: [v.update(subresources={"status": {}}) for v in versions if v["name"] in apart])
    kind.wait(lambda: "/status" in kind.client.get(f"/apis/{kind.group}/v2").text)
    kind.create("v1", size=1)
    content = json.dumps({"spec": {"size": 2}})
    written = kind.client.patch(f"{kind.address('v2', 'a')}/status", content=content, headers=_MERGE).json()
    assert written["spec"] == {"size": 1}
    [entry] = written["metadata"]["managedFields"]
    assert ("f:size" in entry["fieldsV1"]["f:spec"]) == owned


def test_owners_in_a_version_that_is_gone_keep_others_from_applying(kind: Kind) -> None:
    kind.apply("v2", "one", size=1).raise_for_status()
    kind.redefine(lambda versions: versions.pop())
    kind.wait(lambda: kind.get("v2").status_code == 404)
    refused = kind.apply("v1", "two", size=1)
    assert refused.status_code == 500
    assert refused.json()["message"] == f"request to convert CR to an invalid group/version: {kind.group}/v2"
    assert "managedFields" not in kind.patch("v1", size=2)["metadata"]


def test_a_definition_goes_with_objects_of_a_version_that_is_not_served(kind: Kind) -> None:
    kind.create("v2", size=1)
    kind.redefine(lambda versions: versions[0].update(served=False))
    kind.wait(lambda: kind.get("v1").status_code == 404)
    kind.client.delete(f"{_DEFINITIONS}/{kind.name}").raise_for_status()
    kind.wait(lambda: kind.client.get(f"{_DEFINITIONS}/{kind.name}").status_code == 404)


def test_each_served_version_is_registered(kind: Kind) -> None:
    address = "/apis/apiregistration.k8s.io/v1/apiservices"
    found = [f"{version}.{kind.group}" for version in ("v1", "v2")]
    kind.wait(lambda: all(kind.client.get(f"{address}/{name}").status_code == 200 for name in found))
    labels = kind.client.get(f"{address}/{found[0]}").json()["metadata"]["labels"]
    assert labels == {"kube-aggregator.kubernetes.io/automanaged": "true"}
