from collections.abc import AsyncIterator
from typing import Final

import pytest

from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.meta.v1.delete_options import DeleteOptions
from memkube.registry.declarations.request_options import WriteContext
from memkube.registry.registry import Registry
from memkube.registry.writes.initial_objects import ResourceName
from memkube.server.app import create_core
from memkube.server.bootstrap.standing import create_standing_objects
from memkube.server.bootstrap.upkeep import ServiceUpkeep
from memkube.server.service_network import ServerAddress, ServiceNetwork
from memkube.server.settings import Settings
from memkube.time.clock import SteppedClock
from tests.server.bootstrap.creating import create

pytestmark = pytest.mark.anyio
SERVICES: Final[ResourceName] = ("", "v1", "services")
RANGES: Final[ResourceName] = ("networking.k8s.io", "v1", "servicecidrs")
ENDPOINTS: Final[ResourceName] = ("", "v1", "endpoints")
SLICES: Final[ResourceName] = ("discovery.k8s.io", "v1", "endpointslices")
INTERVAL: Final = 10


@pytest.fixture
async def registry() -> AsyncIterator[Registry]:
    registry = create_core(Settings(controllers=(), clock="stepped")).parts.registry
    network = ServiceNetwork(ServerAddress("203.0.113.7", 6443))
    await create_standing_objects(registry, network)
    async with ServiceUpkeep(registry, network):
        yield registry


async def remove(registry: Registry, resource: ResourceName, name: str = "kubernetes") -> None:
    namespace = "" if resource == RANGES else "default"
    await registry.find(*resource).delete(name, DeleteOptions(), WriteContext(namespace=namespace))


async def is_there(registry: Registry, resource: ResourceName) -> bool:
    try:
        await registry.find(*resource).get("default", "kubernetes")
    except ApiError:
        return False
    return True


async def advance(registry: Registry, seconds: float) -> None:
    assert isinstance(registry.clock, SteppedClock)
    await registry.clock.advance(seconds)


@pytest.mark.parametrize("resource", [SERVICES, RANGES, ENDPOINTS, SLICES], ids=lambda resource: resource[2])
async def test_what_stands_for_the_server_is_made_again(registry: Registry, resource: ResourceName) -> None:
    await remove(registry, resource)
    await advance(registry, INTERVAL - 1)
    assert not await is_there(registry, resource)
    await advance(registry, 1)
    assert await is_there(registry, resource)


async def test_the_service_comes_back_with_its_endpoints(registry: Registry) -> None:
    await remove(registry, SERVICES)
    assert not await is_there(registry, ENDPOINTS)
    await advance(registry, INTERVAL)
    assert await is_there(registry, ENDPOINTS)


async def test_the_service_waits_for_its_address(registry: Registry) -> None:
    await remove(registry, SERVICES)
    thief = {"metadata": {"name": "thief"}, "spec": {"clusterIP": "10.0.0.1", "ports": [{"port": 80}]}}
    await create(registry, SERVICES, thief, "default")
    await advance(registry, INTERVAL)
    assert not await is_there(registry, SERVICES)
    await remove(registry, SERVICES, "thief")
    await advance(registry, INTERVAL)
    assert await is_there(registry, SERVICES)


async def test_other_services_stay_gone(registry: Registry) -> None:
    await create(registry, SERVICES, {"metadata": {"name": "web"}, "spec": {"ports": [{"port": 80}]}}, "default")
    await remove(registry, SERVICES, "web")
    assert isinstance(registry.clock, SteppedClock)
    assert registry.clock.timers == 0
