"""Responses in protobuf of every served kind, read with Google's protobuf library."""

from typing import Any

import httpx
import pytest

from memkube.apimachinery.field_facts import go_package
from memkube.apimachinery.protobuf import Messages
from memkube.apis.catalog import served_resources
from memkube.endpoints.responses.messages import ObjectMessages
from memkube.registry.declarations.resource import Resource
from memkube.registry.objects.stored import StoredObject
from tests.apimachinery.protobuf.independent_reader import opened, pruned, read, shown
from tests.apis.filled_documents import filled_struct

PROTOBUF = "application/vnd.kubernetes.protobuf"
MESSAGES = Messages(go_package)
SERVED = served_resources()
LISTED = [resource for resource in SERVED if "list" in resource.verbs]


def name_of(resource: Resource) -> str:
    return f"{resource.api_version}/{resource.plural}"


@pytest.mark.parametrize("resource", SERVED, ids=name_of)
def test_no_field_of_a_kind_is_lost(resource: Resource) -> None:
    content = filled_struct(resource.schema)
    document = {"kind": resource.kind, "apiVersion": resource.api_version, **content}
    body = ObjectMessages(resource, MESSAGES).object(StoredObject(document))
    api_version, kind, message = opened(body)
    assert (api_version, kind) == (resource.api_version, resource.kind)
    assert shown(read(resource.schema.package, resource.schema.name, message)) == pruned(content)


@pytest.fixture
def objects(client: httpx.Client, namespace: str) -> None:
    """Create some objects, so that some lists have items."""
    pod: dict[str, Any] = {"metadata": {"name": "a"}, "spec": {"containers": [{"name": "c", "image": "nginx"}]}}
    client.post(f"/api/v1/namespaces/{namespace}/pods", json=pod).raise_for_status()
    secret = {"metadata": {"name": "a"}, "stringData": {"a": "b"}}
    client.post(f"/api/v1/namespaces/{namespace}/secrets", json=secret).raise_for_status()


@pytest.mark.usefixtures("objects")
@pytest.mark.parametrize("resource", LISTED, ids=name_of)
def test_a_list_tells_the_same_in_protobuf_as_in_json(client: httpx.Client, resource: Resource) -> None:
    path = f"/{'apis' if resource.group else 'api'}/{resource.api_version}/{resource.plural}"
    answer = client.get(path, headers={"accept": PROTOBUF}).raise_for_status()
    _, kind, message = opened(answer.content)
    expected = client.get(path).raise_for_status().json()
    assert (answer.headers["content-type"], kind) == (PROTOBUF, expected.pop("kind"))
    del expected["apiVersion"]
    assert shown(read(resource.schema.package, kind, message)) == pruned(expected)
