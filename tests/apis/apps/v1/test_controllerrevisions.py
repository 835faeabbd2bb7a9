from datetime import UTC, datetime
from typing import Any

import httpx
import pytest

from memkube.apis.apps.v1.controllerrevisions.columns import PRINTER
from memkube.apis.apps.v1.controllerrevisions.strategy import (
    validate_controller_revision,
    validate_controller_revision_update,
)
from memkube.apis.apps.v1.controllerrevisions.types import ControllerRevision
from tests.apimachinery.protobuf.encoder import enveloped

METADATA = {"name": "web-1", "namespace": "default", "resourceVersion": "1"}


def revision(**fields: Any) -> ControllerRevision:
    return ControllerRevision.from_document({"metadata": METADATA, "data": {"spec": {}}, "revision": 1, **fields})


@pytest.mark.parametrize(
    ("fields", "errors"),
    [
        ({}, []),
        ({"data": None}, ["data: Required value: data is mandatory"]),
        ({"data": ["spec"]}, ["data: Required value: data must be a valid JSON object"]),
        ({"revision": -1}, ["revision: Invalid value: -1: must be greater than or equal to 0"]),
    ],
)
def test_data_is_an_object_and_the_number_no_negative_one(fields: dict[str, Any], errors: list[str]) -> None:
    assert [str(error) for error in validate_controller_revision(revision(**fields))] == errors


def test_the_number_may_change_but_not_the_data() -> None:
    assert validate_controller_revision_update(revision(revision=2), revision()) == []
    (error,) = validate_controller_revision_update(revision(data={"spec": None}), revision())
    assert str(error).endswith(": field is immutable")


@pytest.mark.parametrize(
    ("owner", "shown"),
    [
        ([], "<none>"),
        ([{"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "web", "controller": True}], "statefulset.apps/web"),
        ([{"apiVersion": "v1", "kind": "Pod", "name": "web", "controller": True}], "pod/web"),
    ],
)
def test_a_row_tells_whose_revision_it_is(owner: list[dict[str, Any]], shown: str) -> None:
    metadata = {**METADATA, "creationTimestamp": "2026-01-01T00:00:00Z", "ownerReferences": owner}
    document = {"metadata": metadata, "revision": 3}
    assert PRINTER.row(document).at(datetime(2026, 1, 1, tzinfo=UTC)) == ["web-1", shown, 3, "0s"]


APPLY = {"Content-Type": "application/apply-patch+yaml"}


@pytest.mark.parametrize("data", [{}, {"a": 1}, {"a": {"b": {}}}])
@pytest.mark.parametrize("method", ["POST", "PATCH"])
def test_the_data_of_a_revision_is_owned_whole(
    client: httpx.Client, namespace: str, method: str, data: dict[str, Any]
) -> None:
    revisions = f"/apis/apps/v1/namespaces/{namespace}/controllerrevisions"
    body = {"apiVersion": "apps/v1", "kind": "ControllerRevision", "metadata": {"name": "a"}, "data": data}
    if method == "POST":
        answer = client.post(revisions, json={**body, "revision": 1})
    else:
        answer = client.patch(f"{revisions}/a?fieldManager=me", json={**body, "revision": 1}, headers=APPLY)
    owned = answer.json()["metadata"]["managedFields"][0]["fieldsV1"]
    assert owned == {"f:data": {}, "f:revision": {}}


def field(number: int, content: bytes) -> bytes:
    assert len(content) < 128
    return bytes([number << 3 | 2, len(content)]) + content


@pytest.mark.parametrize(
    ("data", "error"),
    [
        (b"", "Required value: data is mandatory"),
        (field(1, b"null"), "Required value: data is mandatory"),
        (field(1, b"[]"), "Required value: data must be a valid JSON object"),
        (field(1, b""), 'Invalid value: "<value omitted>": error parsing data: unexpected end of JSON input'),
        (
            field(1, b"{"),
            'Invalid value: "<value omitted>": error parsing data: unexpected end of JSON input',
        ),
        (
            field(1, b"{} x"),
            "Invalid value: \"<value omitted>\": error parsing data: invalid character 'x' after top-level value",
        ),
    ],
)
def test_the_data_in_a_protobuf_message_is_a_json_object(
    client: httpx.Client, namespace: str, data: bytes, error: str
) -> None:
    message = field(1, field(1, b"web-1")) + field(2, data) + b"\x18\x01"
    answer = client.post(
        f"/apis/apps/v1/namespaces/{namespace}/controllerrevisions",
        content=enveloped("apps/v1", "ControllerRevision", message),
        headers={"content-type": "application/vnd.kubernetes.protobuf", "accept": "application/json"},
    )
    assert (answer.status_code, answer.json()["message"]) == (
        422,
        f'ControllerRevision.apps "web-1" is invalid: data: {error}',
    )
