"""Requests that a custom kind does not support, and preconditions of writes to custom objects."""

import json
from time import monotonic, sleep
from typing import Any, Final

import httpx
import pytest

from memkube.registry.declarations.custom import CustomVersion, custom_resources
from memkube.server.server import Server
from tests.custom.gadgets import NAMES, SCHEMA, gadget

GADGETS: Final = "/apis/example.com/v1/namespaces/default/gadgets"
DEFINITIONS: Final = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
ABOUT: Final = {"group": "example.com", "kind": "gadgets"}


def definition(**metadata: Any) -> dict[str, Any]:
    """Return the definition of a kind with the subresources status and scale."""
    version = {
        "name": "v1",
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}},
        "subresources": {
            "status": {},
            "scale": {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"},
        },
    }
    return {
        "metadata": {"name": "widgets.more.example.com", **metadata},
        "spec": {
            "group": "more.example.com",
            "scope": "Cluster",
            "names": {"plural": "widgets", "kind": "Widget"},
            "versions": [version],
        },
    }


def await_served(client: httpx.Client, path: str) -> None:
    until = monotonic() + 60
    while client.get(path).status_code == 404 and monotonic() < until:
        sleep(0.02)


@pytest.mark.parametrize(
    ("method", "path", "verb"),
    [("POST", "/a/status", "create"), ("DELETE", "/a/status", "delete"), ("OPTIONS", "/a/status", "")],
)
def test_a_verb_that_a_subresource_lacks_is_named(client: httpx.Client, method: str, path: str, verb: str) -> None:
    answer = client.request(method, GADGETS + path)
    assert (answer.status_code, answer.json()["message"], answer.json()["details"]) == (
        405,
        f'{verb} is not supported on resources of kind "gadgets.example.com"',
        ABOUT,
    )


@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "PATCH", "DELETE"])
def test_a_subresource_that_is_not_served_is_an_object_that_is_not_found(client: httpx.Client, method: str) -> None:
    answer = client.request(method, f"{GADGETS}/a/extra")
    assert (answer.status_code, answer.json()["message"], answer.json()["details"]) == (
        404,
        'gadgets.example.com "a" not found',
        {"name": "a", **ABOUT},
    )


@pytest.mark.parametrize("method", ["PUT", "PATCH"])
def test_a_write_to_the_collection_needs_a_name(client: httpx.Client, method: str) -> None:
    answer = client.request(method, GADGETS, json={}, headers={"content-type": "application/merge-patch+json"})
    assert (answer.status_code, answer.json()["message"]) == (400, "name must be provided")


@pytest.mark.parametrize("more", ["/status", "/scale/x", "/status/"])
def test_what_follows_a_subresource_is_ignored(client: httpx.Client, more: str) -> None:
    client.post(GADGETS, json=gadget("a")).raise_for_status()
    assert client.get(f"{GADGETS}/a/status{more}").json() == client.get(f"{GADGETS}/a/status").json()


def test_the_media_type_of_a_patch_is_checked_before_the_name(client: httpx.Client) -> None:
    answer = client.patch(GADGETS, json={}, headers={"content-type": "text/plain"})
    assert (answer.status_code, answer.json()["reason"]) == (415, "UnsupportedMediaType")


def test_ranges_of_media_types_are_taken_where_custom_kinds_are_told_of(client: httpx.Client) -> None:
    path = "/apis/example.com/v1"
    assert client.get(path, headers={"accept": "application/*"}).status_code == 200
    refusal = client.get(path, headers={"accept": "text/plain"}).json()
    assert refusal["message"].startswith("only the following media types are accepted")


def test_a_list_that_is_asked_for_as_an_object_is_named_by_its_go_type(client: httpx.Client) -> None:
    answer = client.get(GADGETS, headers={"accept": "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"})
    assert answer.json()["message"].endswith("the requested object is a list (*unstructured.UnstructuredList)")


def test_a_post_to_an_object_creates_the_object_in_the_body(client: httpx.Client) -> None:
    assert client.post(f"{GADGETS}/a", json=gadget("b")).status_code == 201
    assert client.get(f"{GADGETS}/b").status_code == 200


@pytest.mark.parametrize("path", ["", "/a", "/a/status"])
def test_media_types_are_refused_by_the_handler(client: httpx.Client, path: str) -> None:
    client.post(GADGETS, json=gadget("a")).raise_for_status()
    answer = client.get(GADGETS + path, headers={"accept": "text/html"})
    accepted = "application/json, application/yaml, application/vnd.kubernetes.protobuf"
    assert (answer.status_code, answer.json()["message"]) == (
        406,
        f"only the following media types are accepted: {accepted}",
    )
    assert client.get(GADGETS + path, headers={"accept": "application/*"}).status_code == 200


@pytest.mark.parametrize(("method", "path"), [("GET", "/a/extra"), ("POST", "/a/status"), ("PUT", "")])
def test_refusals_of_a_deprecated_version_carry_its_warning(
    server: Server, client: httpx.Client, method: str, path: str
) -> None:
    version = CustomVersion("v1", SCHEMA, has_status=True, deprecation="gadgets are old")
    server.call(lambda: server.registry.catalog.serve(custom_resources(NAMES, [version], stored="v1")))
    answer = client.request(method, GADGETS + path, headers={"content-type": "application/json"})
    assert answer.status_code >= 400
    assert answer.headers["warning"] == '299 - "gadgets are old"'


@pytest.mark.parametrize("path", ["/a", "/a/status"])
def test_a_put_names_the_key_of_an_object_with_another_uid(client: httpx.Client, path: str) -> None:
    created = client.post(GADGETS, json=gadget("a")).json()
    uid = created["metadata"]["uid"]
    created["metadata"]["uid"] = "other"
    answer = client.put(GADGETS + path, json=created)
    assert answer.status_code == 409
    assert answer.json()["message"] == (
        'Operation cannot be fulfilled on gadgets.example.com "a": StorageError: invalid object, Code: 4, '
        "Key: /registry/example.com/gadgets/default/a, ResourceVersion: 0, AdditionalErrorMsg: "
        f"Precondition failed: UID in precondition: other, UID in object meta: {uid}"
    )


@pytest.mark.parametrize(("field", "name"), [("uid", "UID"), ("resourceVersion", "ResourceVersion")])
def test_the_deletion_of_a_definition_checks_its_preconditions_first(
    client: httpx.Client, field: str, name: str
) -> None:
    client.post(DEFINITIONS, json=definition(finalizers=["example.com/hold"])).raise_for_status()
    url = f"{DEFINITIONS}/widgets.more.example.com"
    for _ in range(2):
        answer = client.request("DELETE", url, json={"preconditions": {field: "other"}})
        assert answer.status_code == 409
        assert answer.json()["message"].startswith(
            "Operation cannot be fulfilled on customresourcedefinitions.apiextensions.k8s.io "
            f'"widgets.more.example.com": Precondition failed: {name} in precondition: other, {name} in object meta: '
        )
        client.delete(url).raise_for_status()


def test_a_scale_keeps_the_owners_in_other_versions(client: httpx.Client) -> None:
    body = definition()
    (version,) = body["spec"]["versions"]
    body["spec"]["versions"].append({**version, "name": "v1beta1", "storage": False})
    client.post(DEFINITIONS, json=body).raise_for_status()
    widgets = "/apis/more.example.com/{}/widgets"
    await_served(client, widgets.format("v1beta1"))
    widget = {
        "apiVersion": "more.example.com/v1beta1",
        "kind": "Widget",
        "metadata": {"name": "a"},
        "spec": {"replicas": 1, "other": 2},
    }
    client.post(widgets.format("v1beta1") + "?fieldManager=creator", json=widget).raise_for_status()
    scale = client.get(widgets.format("v1") + "/a/scale").raise_for_status().json()
    scale["spec"]["replicas"] = 3
    client.put(widgets.format("v1") + "/a/scale?fieldManager=scaler", json=scale).raise_for_status()
    entries = client.get(widgets.format("v1") + "/a").json()["metadata"]["managedFields"]
    assert {(entry["manager"], entry["apiVersion"]): entry["fieldsV1"]["f:spec"] for entry in entries} == {
        ("creator", "more.example.com/v1beta1"): {".": {}, "f:other": {}},
        ("scaler", "more.example.com/v1"): {"f:replicas": {}},
    }


def test_discovery_lists_status_before_scale(client: httpx.Client) -> None:
    client.post(DEFINITIONS, json=definition()).raise_for_status()
    await_served(client, "/apis/more.example.com/v1/widgets")
    names = [resource["name"] for resource in client.get("/apis/more.example.com/v1").json()["resources"]]
    assert names == ["widgets", "widgets/status", "widgets/scale"]


def test_head_is_answered_as_get(client: httpx.Client) -> None:
    client.post(GADGETS, json=gadget("head")).raise_for_status()
    for path in ("", "/head", "/head/status"):
        answer, shown = client.head(GADGETS + path), client.get(GADGETS + path)
        assert (answer.status_code, answer.content) == (200, b"")
        assert answer.headers["content-type"] == shown.headers["content-type"]
    assert client.head(f"{GADGETS}/missing").status_code == 404
    client.delete(f"{GADGETS}/head")


def test_head_can_watch(client: httpx.Client) -> None:
    answer = client.head(f"{GADGETS}?watch=true&timeoutSeconds=1")
    assert (answer.status_code, answer.content) == (200, b"")


@pytest.mark.parametrize("method", ["GET", "POST", "DELETE", "OPTIONS"])
def test_every_method_of_a_watch_path_watches(client: httpx.Client, method: str) -> None:
    path = GADGETS.replace("/v1/", "/v1/watch/")
    client.post(GADGETS, json=gadget("watched")).raise_for_status()
    answer = client.request(method, f"{path}/watched?timeoutSeconds=1&resourceVersion=0")
    assert json.loads(answer.text.splitlines()[0])["object"]["metadata"]["name"] == "watched"
    client.delete(f"{GADGETS}/watched")


def test_a_watch_of_a_name_without_a_namespace_watches_all(client: httpx.Client) -> None:
    client.post(GADGETS, json=gadget("some")).raise_for_status()
    answer = client.get("/apis/example.com/v1/watch/gadgets/other?timeoutSeconds=1&resourceVersion=0")
    assert [json.loads(line)["object"]["metadata"]["name"] for line in answer.text.splitlines()] == ["some"]
    client.delete(f"{GADGETS}/some")


def test_subresources_cannot_be_watched(client: httpx.Client) -> None:
    answer = client.get(f"{GADGETS.replace('/v1/', '/v1/watch/')}/a/status")
    assert answer.json()["message"] == 'watch is not supported on resources of kind "gadgets.example.com"'


def test_discovery_has_no_hash_of_a_storage_version_that_is_not_served(client: httpx.Client) -> None:
    body = definition()
    stored = body["spec"]["versions"][0]
    body["spec"]["versions"].append({**stored, "name": "v2", "storage": False})
    stored["served"] = False
    client.post(DEFINITIONS, json=body).raise_for_status()
    await_served(client, "/apis/more.example.com/v2/widgets")
    found = client.get("/apis/more.example.com/v2").json()["resources"]
    found = [resource for resource in found if "/" not in resource["name"]]
    assert [(resource["name"], resource.get("storageVersionHash")) for resource in found] == [("widgets", None)]
