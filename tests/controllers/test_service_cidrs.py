from typing import Any

import pytest

from memkube.apimachinery.model import Document
from tests.controllers.cluster import Cluster, running
from tests.controllers.services import service

CONTROLLER = "service-cidr-controller"
FINALIZER = "networking.k8s.io/service-cidr-finalizer"

pytestmark = pytest.mark.anyio


def cidr(name: str, *cidrs: str) -> Document:
    kind = {"apiVersion": "networking.k8s.io/v1", "kind": "ServiceCIDR", "metadata": {"name": name}}
    return {**kind, "spec": {"cidrs": list(cidrs)}}


async def ready(cluster: Cluster, name: str) -> Any:
    """Return status, reason and message of the condition Ready; None if the range does not exist."""
    found = await cluster.get("servicecidrs", name, "")
    if found is None:
        return None
    (condition,) = found["status"]["conditions"]
    return condition["status"], condition["reason"], condition["message"]


async def test_a_range_becomes_ready_and_protected() -> None:
    async with running(CONTROLLER) as cluster:
        await cluster.create(cidr("more", "10.9.0.0/24", "fd00::/64"))
        assert await ready(cluster, "more") == ("True", "", "Kubernetes Service CIDR is ready")
        found = await cluster.get("servicecidrs", "more", "")
        assert found is not None
        assert found["metadata"]["finalizers"] == [FINALIZER]


async def test_an_unused_range_is_removed_ten_seconds_after_its_deletion() -> None:
    async with running(CONTROLLER) as cluster:
        await cluster.create(cidr("more", "10.9.0.0/24"))
        await cluster.delete("servicecidrs", "more")
        await cluster.clock.advance(9)
        assert await ready(cluster, "more") is not None
        await cluster.clock.advance(1)
        assert await ready(cluster, "more") is None


async def test_a_range_waits_for_the_last_of_its_addresses() -> None:
    async with running(CONTROLLER) as cluster:
        await cluster.create(cidr("more", "10.9.0.0/24"))
        await cluster.create(service(clusterIP="10.9.0.7"))
        await cluster.delete("servicecidrs", "more")
        status, reason, message = await ready(cluster, "more")
        assert (status, reason) == ("False", "Terminating")
        assert message.startswith("There are still IPAddresses referencing the ServiceCIDR, ")
        await cluster.clock.advance(60)
        assert await ready(cluster, "more") is not None
        await cluster.delete("services", "web")
        assert await ready(cluster, "more") is None


@pytest.mark.parametrize(
    ("other", "is_removed"), [("10.8.0.0/13", True), ("10.9.0.0/25", True), ("10.9.0.128/25", False)]
)
async def test_another_range_with_the_addresses_frees_a_range(other: str, is_removed: bool) -> None:
    async with running(CONTROLLER) as cluster:
        await cluster.create(cidr("more", "10.9.0.0/24"))
        await cluster.create(service(clusterIP="10.9.0.7"))
        await cluster.delete("servicecidrs", "more")
        await cluster.create(cidr("other", other))
        await cluster.clock.advance(10)
        assert (await ready(cluster, "more") is None) == is_removed


async def test_the_default_range_is_left_as_it_is() -> None:
    async with running(CONTROLLER) as cluster:
        before = await cluster.get("servicecidrs", "kubernetes", "")
        await cluster.create(cidr("more", "10.9.0.0/24"))
        assert await cluster.get("servicecidrs", "kubernetes", "") == before


async def test_the_condition_is_applied() -> None:
    async with running(CONTROLLER) as cluster:
        await cluster.create(cidr("more", "10.9.0.0/24"))
        found = await cluster.get("servicecidrs", "more", "")
        assert found is not None
        writers = [
            (entry["manager"], entry["operation"])
            for entry in found["metadata"]["managedFields"]
            if entry.get("subresource") == "status"
        ]
        assert writers == [(CONTROLLER, "Apply")]
