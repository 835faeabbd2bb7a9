from typing import Any

import pytest

from memkube.apimachinery.model import Document
from tests.controllers.cluster import Cluster, running
from tests.controllers.services import messages, node, service

CONTROLLER = "load-balancer"
FINALIZER = "service.kubernetes.io/load-balancer-cleanup"

pytestmark = pytest.mark.anyio


def balanced(name: str = "web", **spec: Any) -> Document:
    return service(name, type="LoadBalancer", **spec)


async def points(cluster: Cluster, name: str = "web", plural: str = "services") -> list[Document]:
    """Return the ingress points of a Service or Ingress."""
    found = await cluster.get(plural, name)
    assert found is not None
    known: list[Document] = found["status"]["loadBalancer"].get("ingress") or []
    return known


def ingress(name: str = "web", **metadata: Any) -> Document:
    spec = {"defaultBackend": {"service": {"name": "web", "port": {"number": 80}}}}
    return {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "Ingress",
        "metadata": {"name": name, **metadata},
        "spec": spec,
    }


def ingress_class(name: str, controller: str) -> Document:
    kind = {"apiVersion": "networking.k8s.io/v1", "kind": "IngressClass"}
    return {**kind, "metadata": {"name": name}, "spec": {"controller": controller}}


async def test_each_service_gets_an_address_and_a_finalizer() -> None:
    async with running(CONTROLLER) as cluster:
        await cluster.create(node())
        await cluster.create(balanced())
        await cluster.create(balanced("other"))
        assert await points(cluster) == [{"ip": "203.0.113.1", "ipMode": "VIP"}]
        assert await points(cluster, "other") == [{"ip": "203.0.113.2", "ipMode": "VIP"}]
        assert ((await cluster.get("services", "web")) or {})["metadata"]["finalizers"] == [FINALIZER]
        assert await messages(cluster, "EnsuredLoadBalancer") == ["Ensured load balancer"] * 2
        assert await messages(cluster, "UnAvailableLoadBalancer") == []


@pytest.mark.parametrize("spec", [{"type": "NodePort"}, {"type": "LoadBalancer", "loadBalancerClass": "example.com/x"}])
async def test_other_services_get_none(spec: dict[str, Any]) -> None:
    async with running(CONTROLLER) as cluster:
        await cluster.create(service(**spec))
        assert await points(cluster) == []


async def test_a_service_without_nodes_is_reported() -> None:
    async with running(CONTROLLER) as cluster:
        await cluster.create(balanced())
        assert len(await points(cluster)) == 1
        assert len(await messages(cluster, "UnAvailableLoadBalancer")) == 1


async def test_another_type_gives_the_address_back() -> None:
    async with running(CONTROLLER) as cluster:
        await cluster.create(balanced())
        found = (await cluster.get("services", "web")) or {}
        await cluster.change("services", "web", spec={**found["spec"], "type": "ClusterIP"})
        after = (await cluster.get("services", "web")) or {}
        assert (await points(cluster), "finalizers" in after["metadata"]) == ([], False)
        assert await messages(cluster, "DeletedLoadBalancer") == ["Deleted load balancer"]
        await cluster.create(balanced("other"))
        assert (await points(cluster, "other"))[0]["ip"] == "203.0.113.1"


async def test_a_deleted_service_goes_once_its_balancer_is_gone() -> None:
    async with running(CONTROLLER) as cluster:
        await cluster.create(balanced())
        await cluster.delete("services", "web")
        assert await cluster.get("services", "web") is None
        assert await messages(cluster, "DeletingLoadBalancer") == ["Deleting load balancer"]


async def test_a_service_gets_the_address_that_it_asks_for() -> None:
    async with running(CONTROLLER) as cluster:
        await cluster.create(balanced(loadBalancerIP="198.51.100.7"))
        await cluster.create(balanced("other", loadBalancerIP="198.51.100.7"))
        assert (await points(cluster))[0]["ip"] == "198.51.100.7"
        assert await points(cluster, "other") == []
        why = "failed to ensure load balancer: address 198.51.100.7 is in use"
        assert await messages(cluster, "SyncLoadBalancerFailed") == [f"Error syncing load balancer: {why}"]
        await cluster.delete("services", "web")
        await cluster.clock.advance(5)
        assert (await points(cluster, "other"))[0]["ip"] == "198.51.100.7"


async def test_a_service_waits_if_all_addresses_are_in_use() -> None:
    async with running(CONTROLLER) as cluster:
        more = {"apiVersion": "networking.k8s.io/v1", "kind": "ServiceCIDR", "metadata": {"name": "more"}}
        await cluster.create({**more, "spec": {"cidrs": ["10.9.0.0/24"]}})
        for number in range(255):
            await cluster.create(balanced(f"s{number}", allocateLoadBalancerNodePorts=False))
        assert await points(cluster, "s254") == []
        await cluster.delete("services", "s7")
        await cluster.clock.advance(60)
        assert (await points(cluster, "s254"))[0]["ip"] == "203.0.113.8"


@pytest.mark.parametrize(
    ("controller", "addresses"), [("memkube.dev/ingress", ["192.0.2.1"]), ("example.com/other", [])]
)
async def test_ingresses_of_simulated_classes_get_an_address(controller: str, addresses: list[str]) -> None:
    async with running(CONTROLLER) as cluster:
        document = ingress()
        await cluster.create({**document, "spec": {**document["spec"], "ingressClassName": "any"}})
        assert await points(cluster, plural="ingresses") == []
        await cluster.create(ingress_class("any", controller))
        assert [point["ip"] for point in await points(cluster, plural="ingresses")] == addresses


async def test_ingresses_without_a_class_get_an_address() -> None:
    async with running(CONTROLLER) as cluster:
        await cluster.create(ingress())
        await cluster.create(ingress("other", annotations={"kubernetes.io/ingress.class": "nginx"}))
        assert [len(await points(cluster, name, "ingresses")) for name in ("web", "other")] == [1, 0]
