"""The Service objects that are stored at the start equal those that creates with Kubernetes' bodies would store."""

from typing import Any, Final

import httpx
import orjson
import pytest

from memkube.registry.declarations.request_options import ListOptions, WriteContext
from memkube.registry.registry import Registry
from memkube.registry.writes.initial_objects import ResourceName
from memkube.registry.writes.patching import APPLY_PATCH, Patch
from memkube.server.app import create_core
from memkube.server.bootstrap.standing import create_system_namespaces
from memkube.server.server import Server
from memkube.server.service_network import (
    SERVICE_RANGE,
    ServerAddress,
    ServiceNetwork,
    create_kubernetes_service,
    create_service_range,
)
from memkube.server.settings import Settings
from memkube.time.clock import written_now
from tests.server.bootstrap.creating import create

pytestmark = pytest.mark.anyio
RANGES: Final[ResourceName] = ("networking.k8s.io", "v1", "servicecidrs")
SERVICES: Final[ResourceName] = ("", "v1", "services")
ENDPOINTS: Final[ResourceName] = ("", "v1", "endpoints")
SLICES: Final[ResourceName] = ("discovery.k8s.io", "v1", "endpointslices")
ADDRESSES: Final[ResourceName] = ("networking.k8s.io", "v1", "ipaddresses")
ADDRESS: Final = ServerAddress("203.0.113.7", 6443)
NETWORK: Final = ServiceNetwork(ADDRESS)
SERVICE: Final = {
    "metadata": {"name": "kubernetes", "labels": {"component": "apiserver", "provider": "kubernetes"}},
    "spec": {
        "ports": [{"name": "https", "protocol": "TCP", "port": 443, "targetPort": ADDRESS.port}],
        "clusterIP": "10.0.0.1",
        "ipFamilyPolicy": "SingleStack",
        "sessionAffinity": "None",
        "type": "ClusterIP",
    },
}
BACKENDS: Final = {
    "metadata": {"name": "kubernetes", "labels": {"endpointslice.kubernetes.io/skip-mirror": "true"}},
    "subsets": [
        {
            "addresses": [{"ip": ADDRESS.host}],
            "ports": [{"name": "https", "port": ADDRESS.port, "protocol": "TCP"}],
        }
    ],
}
SLICE: Final = {
    "metadata": {"name": "kubernetes", "labels": {"kubernetes.io/service-name": "kubernetes"}},
    "addressType": "IPv4",
    "endpoints": [{"addresses": [ADDRESS.host], "conditions": {"ready": True}}],
    "ports": [{"name": "https", "protocol": "TCP", "port": ADDRESS.port}],
}


async def registry_with_namespaces() -> Registry:
    registry = create_core(Settings(controllers=(), clock="stepped")).parts.registry
    await create_system_namespaces(registry)
    return registry


async def placed(resource: ResourceName, namespace: str = "default", name: str = "kubernetes") -> bytes:
    registry = await registry_with_namespaces()
    await create_service_range(registry, NETWORK)
    await create_kubernetes_service(registry, NETWORK)
    return comparable((await registry.find(*resource).get(namespace, name)).document)


def comparable(document: dict[str, Any]) -> bytes:
    """Return an object as JSON, with its order of fields, without parts that differ between servers."""
    metadata = {**document["metadata"], "uid": "", "resourceVersion": ""}
    now = document["metadata"]["creationTimestamp"].encode()
    return orjson.dumps({**document, "metadata": metadata}).replace(now, b"now")


@pytest.mark.parametrize(
    ("resource", "body"),
    [(SERVICES, SERVICE), (ENDPOINTS, BACKENDS), (SLICES, SLICE)],
    ids=["service", "endpoints", "slice"],
)
async def test_what_belongs_to_the_api_server_is_as_if_it_were_created(resource: ResourceName, body: Any) -> None:
    registry = await registry_with_namespaces()
    await create_service_range(registry, NETWORK)
    made = await create(registry, resource, body, "default")
    assert comparable(made.document) == await placed(resource)


async def test_the_address_of_the_service_is_as_if_it_were_allocated() -> None:
    registry = await registry_with_namespaces()
    await create_service_range(registry, NETWORK)
    await create(registry, SERVICES, SERVICE, "default")
    made = await registry.find(*ADDRESSES).get("", "10.0.0.1")
    assert comparable(made.document) == await placed(ADDRESSES, "", "10.0.0.1")


async def test_the_range_is_as_if_its_controller_had_made_it() -> None:
    registry = await registry_with_namespaces()
    body = {"metadata": {"name": "kubernetes"}, "spec": {"cidrs": [SERVICE_RANGE]}}
    await create(registry, RANGES, body)
    ready = {
        "type": "Ready",
        "status": "True",
        "lastTransitionTime": written_now(registry.clock),
        "message": "Kubernetes default Service CIDR is ready",
    }
    applied = {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "ServiceCIDR",
        "metadata": {"name": "kubernetes"},
        "status": {"conditions": [ready]},
    }
    store = registry.find(*RANGES)
    context = WriteContext(manager="kubernetes-service-cidr-controller")
    patch = Patch(APPLY_PATCH, orjson.dumps(applied), "Ignore")
    made, _ = await store.apply("kubernetes", patch, context, store.resource.subresource("status"))
    assert comparable(made.document) == await placed(RANGES, "")


async def test_without_an_address_there_are_no_endpoints() -> None:
    registry = await registry_with_namespaces()
    await create_service_range(registry, NETWORK)
    await create_kubernetes_service(registry, ServiceNetwork())
    assert (await registry.find(*SERVICES).get("default", "kubernetes")).document["spec"]["clusterIP"] == "10.0.0.1"
    assert not (await registry.find(*ENDPOINTS).list("", ListOptions())).items


def test_the_service_names_the_port_that_the_server_listens_on(server: Server, client: httpx.Client) -> None:
    service = client.get("/api/v1/namespaces/default/services/kubernetes").json()
    assert service["spec"]["ports"][0]["targetPort"] == server.port


async def test_the_service_has_the_first_address_of_another_range() -> None:
    registry = await registry_with_namespaces()
    network = NETWORK._replace(service_range="10.96.0.0/12")
    await create_service_range(registry, network)
    await create_kubernetes_service(registry, network)
    assert (await registry.find(*SERVICES).get("default", "kubernetes")).document["spec"]["clusterIP"] == "10.96.0.1"
    assert (await registry.find(*RANGES).get("", "kubernetes")).document["spec"]["cidrs"] == ["10.96.0.0/12"]


@pytest.mark.parametrize(
    ("advertised", "public"),
    [("", ADDRESS.host), ("203.0.113.9", "203.0.113.9"), ("127.0.0.1", None)],
    ids=["none", "an address", "loopback"],
)
async def test_endpoints_have_the_advertised_address(advertised: str, public: str | None) -> None:
    assert NETWORK._replace(advertised=advertised).public_address() == public
