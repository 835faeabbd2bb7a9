"""Protobuf with custom kinds: there is no message for the objects, but there is for their metadata and for Statuses."""

from typing import Any

import httpx
import pytest

from tests.apimachinery.protobuf.independent_reader import META, opened, pruned, read, shown
from tests.custom.gadgets import gadget

GADGETS = "/apis/example.com/v1/namespaces/default/gadgets"
PROTOBUF = "application/vnd.kubernetes.protobuf"
METADATA = "as=PartialObjectMetadata;g=meta.k8s.io;v=v1"


@pytest.fixture(autouse=True)
def created(client: httpx.Client) -> dict[str, Any]:
    document: dict[str, Any] = client.post(GADGETS, json=gadget("a")).raise_for_status().json()
    return document


@pytest.mark.parametrize("path", [f"{GADGETS}/a", GADGETS, f"{GADGETS}?watch=1&timeoutSeconds=1"])
def test_a_client_that_takes_json_as_well_gets_it(client: httpx.Client, path: str) -> None:
    answer = client.get(path, headers={"accept": f"{PROTOBUF},application/json"})
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/json")


@pytest.mark.parametrize("path", [f"{GADGETS}/a", GADGETS, f"{GADGETS}?watch=1&timeoutSeconds=1"])
def test_a_client_that_takes_nothing_else_is_told_so_in_protobuf(client: httpx.Client, path: str) -> None:
    answer = client.get(path, headers={"accept": PROTOBUF})
    assert (answer.status_code, answer.headers["content-type"]) == (406, PROTOBUF)
    status = shown(read(META, "Status", opened(answer.content)[2]))
    assert status["message"].startswith("only the following media types are accepted: application/json, ")


def test_the_metadata_alone_have_a_message(client: httpx.Client, created: dict[str, Any]) -> None:
    answer = client.get(f"{GADGETS}/a", headers={"accept": f"{PROTOBUF};{METADATA}"})
    _, kind, message = opened(answer.content)
    assert shown(read(META, kind, message)) == pruned({"metadata": created["metadata"]})
