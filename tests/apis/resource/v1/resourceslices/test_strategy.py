import uuid
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from memkube.apis.resource.v1.resourceslices.strategy import ResourceSliceStrategy
from memkube.apis.resource.v1.resourceslices.types import ResourceSlice

PATH = "/apis/resource.k8s.io/v1/resourceslices"


def slice_of(*devices: dict[str, Any], driver: str = "d.example.com", node: str = "n") -> dict[str, Any]:
    pool = {"name": "p", "generation": 1, "resourceSliceCount": 1}
    return {"spec": {"driver": driver, "pool": pool, "nodeName": node, "devices": list(devices)}}


@pytest.fixture
def stored(client: httpx.Client) -> Iterator[str]:
    """The name of a ResourceSlice of the node ``other``, which is deleted after the test."""
    name = f"slice-{uuid.uuid4().hex[:10]}"
    client.post(PATH, json={"metadata": {"name": name}, **slice_of(node=name)}).raise_for_status()
    yield name
    client.delete(f"{PATH}/{name}").raise_for_status()


@pytest.mark.parametrize(
    ("selector", "count"),
    [("spec.nodeName={name}", 1), ("spec.nodeName={name},spec.driver=d.example.com", 1), ("spec.nodeName=none", 0)],
)
def test_slices_can_be_selected_by_node_and_driver(
    client: httpx.Client, stored: str, selector: str, count: int
) -> None:
    listed = client.get(PATH, params={"fieldSelector": selector.format(name=stored)}).raise_for_status().json()
    assert len(listed["items"]) == count


def test_slices_cannot_be_selected_by_namespace(client: httpx.Client) -> None:
    answer = client.get(PATH, params={"fieldSelector": "metadata.namespace=x"})
    assert (answer.status_code, answer.json()["message"]) == (
        400,
        "field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: metadata.namespace",
    )


def test_a_new_taint_is_dated(client: httpx.Client, stored: str) -> None:
    patch = {"spec": {"devices": [{"name": "d", "taints": [{"key": "a", "effect": "None"}]}]}}
    headers = {"Content-Type": "application/merge-patch+json"}
    changed = client.patch(f"{PATH}/{stored}", json=patch, headers=headers).raise_for_status().json()
    (taint,) = changed["spec"]["devices"][0]["taints"]
    assert taint["timeAdded"] >= changed["metadata"]["creationTimestamp"]


def test_drivers_in_capitals_earn_a_warning() -> None:
    obj = ResourceSlice.from_document(slice_of(driver="D.example.com"))
    assert ResourceSliceStrategy().warnings_on_create(obj) == [
        'spec.driver: driver names should be lowercase; "D.example.com" contains uppercase characters'
    ]


def test_fields_of_features_that_are_off_are_dropped(client: httpx.Client) -> None:
    device = {
        "name": "d",
        "attributes": {"a": {"string": "x", "strings": ["y"]}},
        "nodeAllocatableResourceMappings": {"cpu": {}},
    }
    body = {"metadata": {"generateName": "x-"}, **slice_of(device)}
    created = client.post(f"{PATH}?dryRun=All", json=body).raise_for_status().json()
    assert created["spec"]["devices"] == [{"name": "d", "attributes": {"a": {"string": "x"}}}]


def test_what_was_dropped_from_an_attribute_is_shown_as_null(client: httpx.Client) -> None:
    device = {"name": "a", "attributes": {"model": {"string": "a", "bool": True, "ints": [1]}}}
    answer = client.post("/apis/resource.k8s.io/v1/resourceslices", json=slice_of(device))
    assert '"IntValues":null,"BoolValues":null' in answer.json()["message"]
