"""A kind that Kubernetes does not have, whose model is defined outside of memkube."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from pydantic import Field

from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.model import ApiModel
from memkube.apis.core.v1.references import LocalObjectReference
from memkube.registry.declarations.resource import Resource
from memkube.registry.declarations.strategy import Strategy
from memkube.server.server import Server
from memkube.server.settings import Settings
from tests.apimachinery.protobuf.encoder import enveloped

ROOT = "/apis/example.com/v1/namespaces/default/gizmos"
NAME = "com.example.v1.Gizmo"
V2_PROTOBUF = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"


class GizmoPart(ApiModel):
    """A part that may contain further parts."""

    colour: str = Field(default="", description="Colour of the part.")
    parts: list["GizmoPart"] = Field(default_factory=list, description="Parts of the part.")


class Gizmo(ApiObject):
    """An invented kind."""

    part: GizmoPart | None = Field(default=None, description="The part.")
    secret: LocalObjectReference | None = Field(default=None, description="A type of the reference.")


@pytest.fixture(scope="module")
def gizmos() -> Iterator[httpx.Client]:
    """A client of a server that serves Gizmos."""
    server = Server(Settings(controllers=()))
    gizmo = Resource("example.com", "v1", "Gizmo", "gizmos", model=Gizmo, strategy=Strategy[Gizmo]())
    server.registry.catalog.add(gizmo)
    with server.in_thread(), httpx.Client(base_url=server.url, trust_env=False) as client:
        yield client


def definitions(client: httpx.Client) -> Any:
    return client.get("/openapi/v2").raise_for_status().json()["definitions"]


def test_the_kind_is_named_after_its_group(gizmos: httpx.Client) -> None:
    found = definitions(gizmos)
    assert found[NAME]["x-kubernetes-group-version-kind"] == [
        {"group": "example.com", "kind": "Gizmo", "version": "v1"}
    ]
    assert found[f"{NAME}List"]["properties"]["items"]["items"]["$ref"] == f"#/definitions/{NAME}"


def test_v3_describes_the_kind_in_the_document_of_its_group(gizmos: httpx.Client) -> None:
    schemas = gizmos.get("/openapi/v3/apis/example.com/v1").raise_for_status().json()["components"]["schemas"]
    assert schemas[NAME]["properties"]["part"]["properties"]["colour"]["type"] == "string"


def test_structs_of_the_kind_stand_in_their_place_and_those_of_the_reference_have_names(gizmos: httpx.Client) -> None:
    properties = definitions(gizmos)[NAME]["properties"]
    assert properties["secret"]["$ref"] == "#/definitions/io.k8s.api.core.v1.LocalObjectReference"
    assert properties["metadata"]["$ref"].endswith(".meta.v1.ObjectMeta")
    assert properties["part"]["properties"]["parts"]["items"] == {
        "type": "object",
        "x-kubernetes-preserve-unknown-fields": True,
    }


def test_the_protobuf_form_of_v2_holds_the_kind(gizmos: httpx.Client) -> None:
    answer = gizmos.get("/openapi/v2", headers={"accept": V2_PROTOBUF}).raise_for_status()
    assert answer.headers["content-type"] == V2_PROTOBUF
    assert NAME.encode() in answer.content


def test_a_body_in_protobuf_is_refused_as_for_all_kinds_without_messages(gizmos: httpx.Client) -> None:
    body = enveloped("example.com/v1", "Gizmo", b"")
    answer = gizmos.post(ROOT, content=body, headers={"content-type": "application/vnd.kubernetes.protobuf"})
    assert answer.status_code == 400
    assert "does not implement the protobuf marshalling interface" in answer.json()["message"]
