"""Protobuf request bodies over HTTP. The decoding of each type is tested with the types."""

from typing import Any

import httpx
import pytest

from memkube.apimachinery.field_facts import go_package
from memkube.apimachinery.meta.v1.delete_options import DeleteOptions
from memkube.apimachinery.protobuf import Messages
from memkube.apimachinery.schema import struct_of
from memkube.apis.core.v1.configmaps.types import ConfigMap
from tests.apimachinery.protobuf.encoder import Encoder, block, enveloped
from tests.apimachinery.protobuf.independent_reader import opened
from tests.apis import kubectl_bodies

MEDIA_TYPE = "application/vnd.kubernetes.protobuf"
HEADERS = {"content-type": MEDIA_TYPE}

UNRECOGNIZED = "the object provided is unrecognized (must be of type ConfigMap)"
NO_PROTOBUF = "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]"
UNCONVERTED = "converting (v1.Pod) to (core.ConfigMap): unknown conversion"


def config_map(document: dict[str, Any]) -> bytes:
    return enveloped("v1", "ConfigMap", Encoder(go_package).message(struct_of(ConfigMap), document))


def delete_options(document: dict[str, Any]) -> bytes:
    message = Encoder(go_package).message(struct_of(DeleteOptions), document)
    return enveloped("v1", "DeleteOptions", message)


@pytest.fixture
def config_maps(namespace: str) -> str:
    return f"/api/v1/namespaces/{namespace}/configmaps"


def test_an_object_that_kubectl_creates_is_answered_as_it_was_sent(client: httpx.Client, config_maps: str) -> None:
    headers = {"content-type": MEDIA_TYPE, "accept": f"{MEDIA_TYPE},application/json"}
    answer = client.post(config_maps, content=kubectl_bodies.CREATE_CONFIG_MAP, headers=headers)
    assert (answer.status_code, answer.headers["content-type"]) == (201, MEDIA_TYPE)
    _, kind, message = opened(answer.content)
    content = Messages(go_package).decode(struct_of(ConfigMap), message)
    assert (kind, content["data"]) == ("ConfigMap", {"a": "b"})


def test_media_types_may_have_parameters(client: httpx.Client, config_maps: str) -> None:
    headers = {"content-type": f"{MEDIA_TYPE}; charset=utf-8"}
    assert client.post(config_maps, content=kubectl_bodies.CREATE_CONFIG_MAP, headers=headers).status_code == 201


def test_fields_are_owned_as_if_json_had_been_sent(client: httpx.Client, config_maps: str) -> None:
    data, labels = {"a": "b"}, {"app": "web"}
    body = config_map({"metadata": {"name": "one", "generateName": "", "labels": labels}, "data": data})
    one = client.post(config_maps, content=body, headers=HEADERS).json()
    two = client.post(config_maps, json={"metadata": {"name": "two", "labels": labels}, "data": data}).json()
    fields = [made["metadata"]["managedFields"][0]["fieldsV1"] for made in (one, two)]
    assert fields[0] == fields[1]


def test_an_object_can_be_replaced(client: httpx.Client, config_maps: str) -> None:
    client.post(config_maps, json={"metadata": {"name": "c"}}).raise_for_status()
    body = config_map({"metadata": {"name": "c"}, "data": {"new": "value"}})
    answer = client.put(f"{config_maps}/c", content=body, headers=HEADERS)
    assert (answer.status_code, answer.json()["data"]) == (200, {"new": "value"})


def test_options_of_a_deletion_are_obeyed(client: httpx.Client, config_maps: str) -> None:
    client.post(config_maps, json={"metadata": {"name": "c"}}).raise_for_status()
    wrong = delete_options({"preconditions": {"uid": "another"}})
    assert client.request("DELETE", f"{config_maps}/c", content=wrong, headers=HEADERS).status_code == 409
    dry = delete_options({"dryRun": ["All"]})
    assert client.request("DELETE", f"{config_maps}/c", content=dry, headers=HEADERS).status_code == 200
    assert client.get(f"{config_maps}/c").status_code == 200


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (
            b"{}",
            f"{UNRECOGNIZED}: {NO_PROTOBUF} ({{}})",
        ),
        (b"", f"{UNRECOGNIZED}: empty data (<empty>)"),
        (
            enveloped("v1", "ConfigMap", block(1, b"\x0a\x05")),
            'ConfigMap in version "v1" cannot be handled as a ConfigMap: unexpected EOF',
        ),
        (
            enveloped("v1", "Pod", b""),
            f'Pod in version "v1" cannot be handled as a ConfigMap: {UNCONVERTED}',
        ),
        (
            enveloped("v1", "PodList", block(1, block(4, b"5"))),
            (
                'PodList in version "v1" cannot be handled as a ConfigMap: '
                "proto: wrong wireType = 2 for field RemainingItemCount"
            ),
        ),
        (
            enveloped("v1", "DeleteOptions", block(1, b"")),
            (
                'DeleteOptions in version "v1" cannot be handled as a ConfigMap: '
                "proto: wrong wireType = 2 for field GracePeriodSeconds"
            ),
        ),
        (
            enveloped("v1", "DeleteOptions", b""),
            (
                'DeleteOptions in version "v1" cannot be handled as a ConfigMap: '
                "converting (v1.DeleteOptions) to (core.ConfigMap): unknown conversion"
            ),
        ),
    ],
)
def test_a_body_that_does_not_fit_is_refused(client: httpx.Client, config_maps: str, body: bytes, message: str) -> None:
    answer = client.post(config_maps, content=body, headers=HEADERS)
    assert (answer.status_code, answer.json()["message"]) == (400, message)


def test_patches_are_never_protobuf(client: httpx.Client, config_maps: str) -> None:
    client.post(config_maps, json={"metadata": {"name": "c"}}).raise_for_status()
    body = config_map({"metadata": {"name": "c"}})
    assert client.patch(f"{config_maps}/c", content=body, headers=HEADERS).status_code == 415
