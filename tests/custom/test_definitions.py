import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import pytest

DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
WIDGETS = "/apis/things.example/v1/namespaces/default/widgets"
OPEN = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}


def definition(plural: str = "widgets", kind: str = "Widget", **spec: Any) -> dict[str, Any]:
    """Return a CustomResourceDefinition with one version.

    By default, its schema preserves all fields of the spec.
    """
    schema = {"type": "object", "properties": {"spec": spec or OPEN}}
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    names = {"plural": plural, "kind": kind}
    body = {"group": "things.example", "scope": "Namespaced", "names": names, "versions": [version]}
    return {"metadata": {"name": f"{plural}.things.example"}, "spec": body}


def widget(**spec: Any) -> dict[str, Any]:
    return {"apiVersion": "things.example/v1", "kind": "Widget", "metadata": {"name": "a"}, "spec": spec}


def until(
    client: httpx.Client, name: str, done: Callable[[str, dict[str, Any]], bool], since: str = ""
) -> dict[str, Any]:
    """Watch a definition, and return its first revision that meets a condition."""
    full = name if "." in name else f"{name}.things.example"
    query = {"watch": "1", "fieldSelector": f"metadata.name={full}", "resourceVersion": since}
    with client.stream("GET", DEFINITIONS, params=query) as events:
        for line in events.iter_lines():
            event = json.loads(line)
            if done(event["type"], event["object"]):
                found: dict[str, Any] = event["object"]
                return found
    raise AssertionError("the watch ended")


def says(condition: str, status: str) -> Callable[[str, dict[str, Any]], bool]:
    return lambda _, obj: {"type": condition, "status": status}.items() <= {
        k: v for c in obj["status"]["conditions"] or () if c["type"] == condition for k, v in c.items()
    }.items()  # fmt: skip


@contextmanager
def served_anew(client: httpx.Client) -> Iterator[None]:
    """Wait at the end of the block until the changed definition of widgets is served, which ends open watches."""
    with client.stream("GET", WIDGETS, params={"watch": "1"}) as events:
        yield
        for _ in events.iter_lines():
            pass


def establish(client: httpx.Client, body: dict[str, Any]) -> None:
    client.post(DEFINITIONS, json=body).raise_for_status()
    until(client, body["spec"]["names"]["plural"], says("Established", "True"))


def test_a_definition_is_served_once_it_is_established(client: httpx.Client) -> None:
    assert client.get(WIDGETS).text == "404 page not found\n"
    establish(client, definition())
    assert client.post(WIDGETS, json=widget(size=1)).status_code == 201
    assert [item["spec"] for item in client.get(WIDGETS).json()["items"]] == [{"size": 1}]


def test_objects_go_with_their_definition(client: httpx.Client) -> None:
    establish(client, definition())
    client.post(WIDGETS, json=widget()).raise_for_status()
    deleted = client.delete(f"{DEFINITIONS}/widgets.things.example").json()
    until(client, "widgets", lambda event, _: event == "DELETED", deleted["metadata"]["resourceVersion"])
    establish(client, definition())
    assert client.get(WIDGETS).json()["items"] == []


@pytest.mark.parametrize("version", ["v1", "v9"])
@pytest.mark.parametrize(("plural", "kind"), [("leases", "Lease"), ("rents", "Rent")])
def test_kinds_of_a_built_in_group_are_not_served(client: httpx.Client, version: str, plural: str, kind: str) -> None:
    body = definition(plural, kind)
    group = "coordination.k8s.io"
    body["metadata"] = {"name": f"{plural}.{group}", "annotations": {"api-approved.kubernetes.io": "unapproved, test"}}
    body["spec"] |= {"group": group, "versions": [body["spec"]["versions"][0] | {"name": version}]}
    served = client.get(f"/apis/{group}/v1").json()
    client.post(DEFINITIONS, json=body).raise_for_status()
    until(client, body["metadata"]["name"], says("Established", "True"))
    establish(client, definition())  # The controller has followed the earlier definition by now
    assert client.get(f"/apis/{group}/v1").json() == served
    refused = client.get(f"/apis/{group}/{version}/namespaces/default/{plural}")
    assert refused.status_code == (200 if (plural, version) == ("leases", "v1") else 404)


def test_a_taken_name_is_accepted_when_it_is_free_again(client: httpx.Client) -> None:
    establish(client, definition())
    second = definition("gizmos")
    client.post(DEFINITIONS, json=second).raise_for_status()
    refused = until(client, "gizmos", says("NamesAccepted", "False"))
    assert [c["reason"] for c in refused["status"]["conditions"]] == ["ListKindConflict", "NotAccepted"]
    client.delete(f"{DEFINITIONS}/widgets.things.example").raise_for_status()
    until(client, "gizmos", says("Established", "True"))


def test_a_changed_schema_holds_for_what_is_read(client: httpx.Client) -> None:
    establish(client, definition())
    client.post(WIDGETS, json=widget(size=1, shade="dark")).raise_for_status()
    fields = {"size": {"type": "integer"}, "colour": {"type": "string", "default": "red"}}
    described = {"type": "object", "properties": fields}
    patch = [
        {"op": "replace", "path": "/spec/versions/0/schema/openAPIV3Schema/properties/spec", "value": described}
    ]  # fmt: skip
    headers = {"Content-Type": "application/json-patch+json"}
    with served_anew(client):
        path = f"{DEFINITIONS}/widgets.things.example"
        client.patch(path, content=json.dumps(patch), headers=headers).raise_for_status()
    assert client.get(f"{WIDGETS}/a").json()["spec"] == {"size": 1, "colour": "red"}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"versions": []}, "spec.versions: Invalid value: []: must have exactly one version marked as storage version"),
        ({}, "spec.versions: Invalid value: null: must have exactly one version marked as storage version"),
    ],
)
def test_a_list_without_versions_is_another_thing_than_none(
    client: httpx.Client, change: dict[str, Any], message: str
) -> None:
    body = definition()
    del body["spec"]["versions"]
    body["spec"].update(change)
    assert message in client.post(DEFINITIONS, json=body).json()["message"]


def test_a_storage_version_without_a_name_is_stored_all_the_same(client: httpx.Client) -> None:
    body = definition()
    body["spec"]["versions"][0]["name"] = ""
    assert "storedVersions" not in client.post(DEFINITIONS, json=body).json()["message"]


@pytest.mark.parametrize("keyword", ["items", "additionalProperties", "not", "additionalItems"])
def test_a_value_of_a_wrong_type_is_named_through_schemas_that_decode_themselves(
    client: httpx.Client, keyword: str
) -> None:
    schema: dict[str, Any] = {keyword: {"items": {"minLength": "a"}}}
    body = definition(**schema)
    path = f"spec.versions.schema.openAPIV3Schema.properties.{keyword}.items.minLength"
    wanted = f"json: cannot unmarshal string into Go struct field JSONSchemaProps.{path} of type int64"
    assert client.post(DEFINITIONS, json=body).json()["message"].endswith(wanted)


@pytest.mark.parametrize(
    ("schema", "target"),
    [
        ('{"maximum": 1e400}', "Go struct field JSONSchemaProps.spec.versions.schema.openAPIV3Schema.maximum"),
        ('{"default": {"a": 1e400}}', "Go value"),
        ('{"enum": [1, 1e400]}', "Go value"),
    ],
)
def test_a_schema_has_no_numbers_beyond_float64(client: httpx.Client, schema: str, target: str) -> None:
    body = definition()
    body["spec"]["versions"][0]["schema"]["openAPIV3Schema"] = "HERE"
    refused = client.post(DEFINITIONS, content=json.dumps(body).replace('"HERE"', schema))
    assert refused.status_code == 400
    assert refused.json()["message"].endswith(f"json: cannot unmarshal number 1e400 into {target} of type float64")


def test_even_empty_dependencies_are_not_supported(client: httpx.Client) -> None:
    refused = client.post(DEFINITIONS, json=definition(type="object", dependencies={}))
    assert (refused.status_code, "dependencies: Forbidden: dependencies is not" in refused.text) == (422, True)
    assert client.post(DEFINITIONS, json=definition(type="object", dependencies=None)).is_success


@pytest.mark.parametrize("levels", [150, 220, 245])
def test_a_schema_with_many_levels_is_accepted_or_refused(client: httpx.Client, levels: int) -> None:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(levels):
        schema = {"type": "array", "items": schema}
    answer = client.post(DEFINITIONS, json=definition(f"deep{levels}s", f"Deep{levels}", **schema))
    # How many levels fit depends on the version of Python.
    assert answer.status_code == 201 or answer.json()["message"].endswith(": exceeded max depth")


def test_a_patch_cannot_add_too_many_levels_to_a_schema(client: httpx.Client) -> None:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(245):
        schema = {"type": "array", "items": schema}
    establish(client, definition("shallows", "Shallow"))
    patch = {"spec": definition("shallows", "Shallow", **schema)["spec"]}
    answer = client.patch(
        f"{DEFINITIONS}/shallows.things.example",
        content=json.dumps(patch),
        headers={"Content-Type": "application/merge-patch+json"},
    )
    # How many levels fit depends on the version of Python.
    assert answer.status_code in (200, 400, 422)
