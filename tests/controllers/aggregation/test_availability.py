from collections.abc import AsyncIterator
from typing import Any

import pytest

from memkube.apimachinery.model import Document
from memkube.auth.authentication.options import AuthenticationOptions
from memkube.controllers.aggregation.checks import service_fault, with_condition
from memkube.controllers.api_server import api_server_controllers
from memkube.controllers.manager import ControllerManager
from memkube.endpoints.routers.health import Checks, Unhealthy
from memkube.registry.objects.stored import StoredObject
from tests.controllers.cluster import Cluster, running

pytestmark = pytest.mark.anyio
_REFERENCE = {"namespace": "default", "name": "metrics", "port": 443}
_SPEC = {"group": "example.com", "version": "v1", "groupPriorityMinimum": 100, "versionPriority": 10}
_PORTS = [{"name": "https", "port": 443}]


def _api_service(**spec: Any) -> Document:
    return {
        "apiVersion": "apiregistration.k8s.io/v1",
        "kind": "APIService",
        "metadata": {"name": "v1.example.com"},
        "spec": {**_SPEC, "service": _REFERENCE, **spec},
    }


@pytest.fixture
async def cluster() -> AsyncIterator[Cluster]:
    """A cluster with only the API server's own controllers."""
    controllers = api_server_controllers(AuthenticationOptions())
    async with running() as cluster, ControllerManager(cluster.parts, controllers, tuple(controllers)).running():
        yield cluster


async def _condition(cluster: Cluster) -> Document:
    api_service = await cluster.get("apiservices", "v1.example.com", "")
    assert api_service is not None
    [condition] = api_service["status"]["conditions"]
    return dict(condition)


async def test_a_service_that_is_not_there_is_not_found(cluster: Cluster) -> None:
    await cluster.create(_api_service())
    condition = await _condition(cluster)
    assert (condition["status"], condition["reason"]) == ("False", "ServiceNotFound")
    assert condition["message"] == 'service/metrics in "default" is not present'


async def test_a_service_that_comes_is_noticed(cluster: Cluster) -> None:
    await cluster.create(_api_service())
    metadata = {"name": "metrics", "namespace": "default"}
    ports = [{"port": 80, "protocol": "TCP", "targetPort": 80}]
    spec = {"clusterIP": "None", "ports": ports}
    await cluster.create({"apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": spec})
    assert (await _condition(cluster))["reason"] == "ServicePortError"


async def test_the_versions_of_others_are_left_to_them_until_they_go(cluster: Cluster) -> None:
    await cluster.create(_api_service())
    assert list(cluster.registry.catalog.delegated) == [("example.com", "v1")]
    await cluster.delete("apiservices", "v1.example.com", namespace="")
    assert not cluster.registry.catalog.delegated


def _service(**spec: Any) -> StoredObject:
    return StoredObject({"metadata": {"name": "metrics"}, "spec": {"type": "ClusterIP", "ports": _PORTS, **spec}})


@pytest.mark.parametrize(
    ("service", "slices", "reason"),
    [
        (_service(ports=[{"port": 80}]), [], "ServicePortError"),
        (_service(), [], "EndpointsNotFound"),
        (_service(), [{"endpoints": [], "ports": _PORTS}], "MissingEndpoints"),
        (_service(), [{"endpoints": [{"conditions": {"ready": False}}], "ports": _PORTS}], "MissingEndpoints"),
        (_service(), [{"endpoints": [{}], "ports": [{"name": "other", "port": 1}]}], "MissingEndpoints"),
        (_service(), [{"endpoints": [{}], "ports": _PORTS}], ""),
        (_service(type="ExternalName", ports=[]), [], ""),
    ],
)
async def test_the_first_obstacle_is_named(service: StoredObject, slices: list[Document], reason: str) -> None:
    fault = service_fault({**_SPEC, "service": _REFERENCE}, service, slices)
    assert ("" if fault is None else fault.reason) == reason


async def test_the_time_of_a_condition_is_that_of_its_status() -> None:
    old = {"type": "Available", "status": "False", "lastTransitionTime": "1", "reason": "A"}
    new = {"type": "Available", "status": "False", "lastTransitionTime": "2", "reason": "B"}
    assert with_condition([old], new) == [{**new, "lastTransitionTime": "1"}]
    assert with_condition([old], {**new, "status": "True"}) == [{**new, "status": "True"}]
    assert with_condition([], new) == [new]


async def test_a_server_is_not_ready_until_it_has_asked_the_other_servers_it_knew() -> None:
    async with running() as cluster:
        controllers = api_server_controllers(AuthenticationOptions())
        manager = ControllerManager(cluster.parts, controllers, tuple(controllers))
        checks = Checks(cluster.registry, manager, lambda: manager.definitions, lambda: manager.api_services)
        check = checks.of("readyz")["poststarthook/apiservice-discovery-controller"]
        await cluster.create(_api_service())
        async with manager.running():
            with pytest.raises(Unhealthy, match="discovery of 1 APIServices has not been fetched yet"):
                await check()
            await manager.at_rest("api services of others")
            await check()
