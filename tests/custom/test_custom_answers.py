"""Cases in which responses about custom objects differ from those about built-in objects."""

import json
from typing import Any

import httpx
import pytest

from tests.custom.test_definitions import OPEN, WIDGETS, definition, establish, served_anew, widget

_APPLY = {"Content-Type": "application/apply-patch+yaml"}
_MERGE = {"Content-Type": "application/merge-patch+json"}


def _with_scale() -> dict[str, Any]:
    body = definition()
    scale = {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"}
    body["spec"]["versions"][0]["subresources"] = {"scale": scale}
    return body


@pytest.mark.parametrize("body", [b"{", b'{"kind":"Widget"}', b'{"apiVersion":"v1","kind":"Scale"}'])
def test_what_is_wrong_with_a_scale_is_not_told(client: httpx.Client, body: bytes) -> None:
    establish(client, _with_scale())
    client.post(WIDGETS, json=widget(replicas=1)).raise_for_status()
    refused = client.put(f"{WIDGETS}/a/scale", content=body).json()
    assert (refused["code"], refused["message"][:54]) == (400, "no kind is registered for the type v1.Scale in scheme ")


def test_a_scale_below_a_null_is_an_error_without_a_reason(client: httpx.Client) -> None:
    body = _with_scale()
    version = body["spec"]["versions"][0]
    version["subresources"]["scale"]["specReplicasPath"] = ".spec.part.replicas"
    version["schema"]["openAPIV3Schema"]["properties"]["spec"] = {
        "type": "object", "properties": {"part": {**OPEN, "nullable": True}},
    }  # fmt: skip
    establish(client, body)
    client.post(WIDGETS, json=widget(part=None)).raise_for_status()
    scale = {"apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": {"name": "a"}, "spec": {"replicas": 1}}
    failed = client.put(f"{WIDGETS}/a/scale", json=scale)
    why = "value cannot be set because .spec.part is not a map[string]interface{}"
    assert (failed.status_code, failed.json()["message"], failed.json().get("reason")) == (500, why, None)


def test_a_scale_cannot_be_applied(client: httpx.Client) -> None:
    establish(client, _with_scale())
    client.post(WIDGETS, json=widget(replicas=1)).raise_for_status()
    scale = {"apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": {"name": "a"}, "spec": {"replicas": 2}}
    refused = client.patch(f"{WIDGETS}/a/scale?fieldManager=m", content=json.dumps(scale), headers=_APPLY)
    assert refused.status_code == 500


@pytest.mark.parametrize(
    ("patch", "code", "message"),
    [
        ({"apiVersion": "a/b", "kind": "C"}, 422, 'C.a "a" is invalid: [kind: Invalid value: "C": must be Widget, '),
        ({"apiVersion": None}, 500, "Internal error occurred: Object 'apiVersion' is missing in "),
        ({"kind": None}, 422, ' "" is invalid: patch: Invalid value: '),
        (
            {"kind": "C", "metadata": {"name": "b"}},
            400,
            "the name of the object (b) does not match the name on the URL",
        ),
    ],
)
def test_a_patch_may_not_change_what_an_object_is(
    client: httpx.Client, patch: dict[str, Any], code: int, message: str
) -> None:
    establish(client, definition())
    client.post(WIDGETS, json=widget()).raise_for_status()
    refused = client.patch(f"{WIDGETS}/a", json=patch, headers=_MERGE).json()
    assert (refused["code"], refused["message"][: len(message)]) == (code, message)


def test_a_put_to_a_missing_object_is_not_found_before_its_kind_is_checked(client: httpx.Client) -> None:
    establish(client, definition())
    assert client.put(f"{WIDGETS}/a", json={**widget(), "kind": "C"}).status_code == 404


def test_a_put_of_another_kind_needs_a_resource_version_first(client: httpx.Client) -> None:
    establish(client, definition())
    stored = client.post(WIDGETS, json=widget()).json()
    refused = client.put(f"{WIDGETS}/a", json={**widget(), "kind": "C"}).json()["message"]
    assert refused.endswith("metadata.resourceVersion: Invalid value: 0: must be specified for an update")
    refused = client.put(f"{WIDGETS}/a", json={**stored, "kind": "C"}).json()["message"]
    assert refused == 'C.things.example "a" is invalid: kind: Invalid value: "C": must be Widget'


def test_a_missing_namespace_is_found_before_another_kind(client: httpx.Client) -> None:
    establish(client, definition())
    body = {**widget(), "kind": "C"}
    assert client.post(WIDGETS.replace("default", "missing"), json=body).status_code == 404
    assert client.post(WIDGETS, json=body).status_code == 422


def test_a_status_of_another_kind_is_written_and_not_tracked(client: httpx.Client) -> None:
    body = definition()
    body["spec"]["versions"][0]["subresources"] = {"status": {}}
    establish(client, body)
    client.post(WIDGETS, json=widget()).raise_for_status()
    written = client.patch(f"{WIDGETS}/a/status", json={"kind": "C"}, headers=_MERGE).json()
    assert (written["kind"], "managedFields" in written["metadata"]) == ("Widget", False)


def test_a_null_api_version_in_a_patch_is_no_string(client: httpx.Client) -> None:
    establish(client, definition())
    client.post(WIDGETS, json=widget()).raise_for_status()
    patch = [{"op": "replace", "path": "/apiVersion", "value": None}]
    refused = client.patch(f"{WIDGETS}/a", json=patch, headers={"Content-Type": "application/json-patch+json"})
    why = ".apiVersion accessor error: <nil> is of the type <nil>, expected string"
    assert (refused.status_code, refused.json()["message"][-len(why) :]) == (422, why)


def test_an_object_of_another_version_is_warned_of_before_it_is_refused(client: httpx.Client) -> None:
    establish(client, definition())
    refused = client.post(WIDGETS, json={**widget(), "apiVersion": "things.example/v9"})
    assert (refused.status_code, refused.headers["warning"]) == (400, '299 - "unknown field \\"spec\\""')


@pytest.mark.parametrize("api_version", ["things.example/v9", "v1"])
def test_an_object_of_another_version_is_warned_of_duplicates(client: httpx.Client, api_version: str) -> None:
    establish(client, definition())
    body = f'{{"apiVersion": "{api_version}", "kind": "Widget", "metadata": {{"name": "a", "b": 1, "name": "a"}}}}'
    refused = client.post(WIDGETS, content=body, headers={"Content-Type": "application/json"})
    duplicate, unknown = '299 - "duplicate field \\"metadata.name\\""', '299 - "unknown field \\"metadata.b\\""'
    assert (refused.status_code, refused.headers["warning"]) == (400, f"{duplicate}, {unknown}")


@pytest.mark.parametrize(("api_version", "kind"), [("v1", "Widget"), ("things.example/v1", "Gadget")])
def test_wrong_metadata_is_refused_before_another_kind(client: httpx.Client, api_version: str, kind: str) -> None:
    establish(client, definition())
    refused = client.post(WIDGETS, json={"apiVersion": api_version, "kind": kind, "metadata": {"labels": 1}}).json()
    start = f'{kind} in version "v1" cannot be handled as a Widget: json: cannot unmarshal number into Go '
    assert refused["message"].startswith(start)


@pytest.mark.parametrize(
    ("validation", "status", "warning"),
    [("Strict", 400, None), ("Warn", 422, '299 - "unknown field \\"metadata.b\\""'), ("Ignore", 422, None)],
)
def test_unknown_metadata_counts_before_another_kind(
    client: httpx.Client, validation: str, status: int, warning: str | None
) -> None:
    establish(client, definition())
    body = {"apiVersion": "things.example/v1", "kind": "Gadget", "metadata": {"name": "a", "b": 1}}
    refused = client.post(WIDGETS, json=body, params={"fieldValidation": validation})
    assert (refused.status_code, refused.headers.get("warning")) == (status, warning)
    assert ("as a Gadget: strict decoding error" in refused.text) == (validation == "Strict")


def test_fields_of_a_version_that_is_not_served_are_known(client: httpx.Client) -> None:
    body = definition()
    versions = body["spec"]["versions"]
    versions.append({**versions[0], "name": "v2", "storage": False, "served": False})
    establish(client, body)
    refused = client.post(WIDGETS, json={**widget(), "apiVersion": "things.example/v2", "extra": 1})
    assert (refused.status_code, refused.headers["warning"]) == (400, '299 - "unknown field \\"extra\\""')


@pytest.mark.parametrize(
    ("described", "value"),
    [
        ({"type": "object"}, {"a": {"b": 1}}),
        ({"x-kubernetes-int-or-string": True}, 7),
        ({"type": "string", "format": "date-time"}, "2026-01-01T00:00:00Z"),
    ],
)
def test_apply_takes_what_the_schema_leaves_open(client: httpx.Client, described: dict[str, Any], value: Any) -> None:
    establish(client, definition(type="object", properties={"field": described}))
    applied = client.patch(f"{WIDGETS}/a?fieldManager=m", content=json.dumps(widget(field=value)), headers=_APPLY)
    assert applied.status_code == 201


def test_a_null_that_is_applied_is_refused_where_another_would_be_dropped(client: httpx.Client) -> None:
    establish(client, definition(type="object", properties={"field": {"type": "string"}}))
    applied = client.patch(f"{WIDGETS}/a?fieldManager=m", content=json.dumps(widget(field=None)), headers=_APPLY)
    assert applied.json()["details"]["causes"][0]["field"] == "spec.field"
    assert client.post(WIDGETS, json=widget(field=None)).json()["spec"] == {}


def test_an_update_that_changes_nothing_stores_defaults_that_came_later(client: httpx.Client) -> None:
    establish(client, definition())
    first = client.post(WIDGETS, json=widget()).json()
    later = definition(type="object", properties={"colour": {"type": "string", "default": "red"}})
    path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.things.example"
    with served_anew(client):
        client.patch(path, json={"spec": later["spec"]}, headers=_MERGE).raise_for_status()
    versions = [
        client.patch(f"{WIDGETS}/a", json={"spec": {"colour": "red"}}, headers=_MERGE).json()["metadata"]
        for _ in range(2)
    ]
    assert first["metadata"]["resourceVersion"] != versions[0]["resourceVersion"] == versions[1]["resourceVersion"]
    assert versions[0]["generation"] == 1


def test_a_whole_object_may_have_to_be_one_of_several(client: httpx.Client) -> None:
    body = definition()
    body["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["enum"] = [{"spec": {}}]
    establish(client, body)
    assert client.post(WIDGETS, json=widget()).json()["details"]["causes"][0]["reason"] == "FieldValueNotSupported"


def test_numbers_in_columns_are_as_the_reference_prints_them(client: httpx.Client) -> None:
    body = definition()
    columns = [
        {"name": name, "type": of_type, "jsonPath": f".spec.{name}"}
        for name, of_type in (("text", "string"), ("whole", "integer"), ("number", "number"), ("since", "date"))
    ]
    body["spec"]["versions"][0]["additionalPrinterColumns"] = columns
    establish(client, body)
    client.post(WIDGETS, json=widget(text=123456789.125, whole=1e30, number=2**53 + 1, since="")).raise_for_status()
    table = client.get(f"{WIDGETS}/a", headers={"Accept": "application/json;as=Table;v=v1;g=meta.k8s.io"}).json()
    assert table["rows"][0]["cells"] == ["a", "1.23456789125e+08", -(2**63), 2**53, "<unknown>"]


def test_a_text_column_shows_objects_as_json_with_html_escapes(client: httpx.Client) -> None:
    body = definition()
    columns = [{"name": "Spec", "type": "string", "jsonPath": ".spec"}]
    body["spec"]["versions"][0]["additionalPrinterColumns"] = columns
    establish(client, body)
    client.post(WIDGETS, json=widget(a="<&>")).raise_for_status()
    table = client.get(WIDGETS, headers={"Accept": "application/json;as=Table;v=v1;g=meta.k8s.io"}).json()
    assert table["rows"][0]["cells"] == ["a", '{"a":"\\u003c\\u0026\\u003e"}']


@pytest.mark.parametrize(
    ("content_type", "body", "shown"),
    [
        ("application/json", '{"spec": {}}', '{"spec": {}}'),
        ("application/json", "null", "null"),
        ("application/yaml", "spec: {}\n", '{"spec":{}}'),
    ],
)
def test_a_missing_kind_is_told_in_another_way_if_fields_are_not_validated(
    client: httpx.Client, content_type: str, body: str, shown: str
) -> None:
    establish(client, definition())
    headers, query = {"Content-Type": content_type}, {"fieldValidation": "Ignore"}
    refused = client.post(WIDGETS, content=body, headers=headers, params=query).json()
    why = f"Widget in version \"v1\" cannot be handled as a Widget: Object 'Kind' is missing in '{shown}'"
    assert (refused["code"], refused["message"]) == (400, why)


@pytest.mark.parametrize(
    ("changed", "warning"),
    [
        ({"apiVersion": "things.example/v2", "extra": 1}, '299 - "unknown field \\"extra\\""'),
        ({"apiVersion": "things.example/v2", "spec": {"b": 1}}, None),
        ({"kind": "Gadget", "extra": 1}, None),
    ],
)
def test_a_patch_to_another_version_is_warned_of_its_unknown_fields(
    client: httpx.Client, changed: dict[str, Any], warning: str | None
) -> None:
    body = definition(type="object", properties={"a": {"type": "integer"}})
    versions = body["spec"]["versions"]
    versions.append({**definition()["spec"]["versions"][0], "name": "v2", "storage": False})
    establish(client, body)
    client.post(WIDGETS, json=widget(a=1)).raise_for_status()
    refused = client.patch(f"{WIDGETS}/a", json=changed, headers=_MERGE)
    assert (refused.status_code, refused.headers.get("warning")) == (422, warning)


def test_a_whole_float_in_a_set_is_owned_as_an_integer(client: httpx.Client) -> None:
    numbers = {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "number"}}
    establish(client, definition(type="object", properties={"f": numbers}))
    created = client.post(WIDGETS, json=widget(f=[1.0, 2.5])).json()
    owned = created["metadata"]["managedFields"][0]["fieldsV1"]["f:spec"]["f:f"]
    assert owned == {".": {}, "v:1": {}, "v:2.5": {}}


def test_unknown_fields_are_not_named_without_an_api_version(client: httpx.Client) -> None:
    establish(client, definition())
    body = {"kind": "Widget", "metadata": {"name": "a", "b": 1}}
    refused = client.post(WIDGETS, json=body, params={"fieldValidation": "Strict"}).json()
    assert refused["message"] == "Object 'apiVersion' is missing in 'object has no apiVersion field'"
