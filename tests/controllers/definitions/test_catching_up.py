"""A server serves a kind even if the definition was written through another server a moment ago."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from memkube.auth.authentication.options import AuthenticationOptions
from memkube.controllers.api_server import api_server_controllers
from memkube.controllers.definitions.controller import DefinitionController
from memkube.controllers.manager import ControllerManager
from memkube.endpoints.routers.health import Checks, Unhealthy
from tests.controllers.cluster import Cluster, running

pytestmark = pytest.mark.anyio

DEFINITION: dict[str, Any] = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "widgets.example.com"},
    "spec": {
        "group": "example.com",
        "scope": "Namespaced",
        "names": {"plural": "widgets", "kind": "Widget"},
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}},
            }
        ],
    },
}


def _manager(cluster: Cluster) -> ControllerManager:
    controllers = api_server_controllers(AuthenticationOptions())
    return ControllerManager(cluster.parts, controllers, tuple(controllers))


@asynccontextmanager
async def following() -> AsyncIterator[tuple[Cluster, DefinitionController]]:
    async with running() as cluster:
        manager = _manager(cluster)
        async with manager.running():
            assert manager.definitions is not None
            yield cluster, manager.definitions


async def test_it_waits_until_the_kind_is_served() -> None:
    async with following() as (cluster, definitions):
        await cluster.create(DEFINITION)
        catalog = cluster.registry.catalog
        served = [resource for resource in catalog if resource.group == "example.com"]
        catalog.remove("example.com", "widgets")
        waiting = asyncio.ensure_future(definitions.caught_up("example.com", "widgets"))
        await asyncio.sleep(0)
        assert not waiting.done()
        catalog.serve(served)
        assert await waiting


async def test_it_does_not_wait_for_what_nobody_has_defined() -> None:
    async with following() as (_, definitions):
        assert not await definitions.caught_up("example.com", "gadgets")


async def test_a_server_is_not_ready_until_it_serves_what_was_defined() -> None:
    async with running() as cluster:
        manager = _manager(cluster)
        checks = Checks(cluster.registry, manager, lambda: manager.definitions, lambda: manager.api_services)
        check = checks.of("readyz")["poststarthook/crd-informer-synced"]
        await cluster.create(DEFINITION)
        async with manager.running():
            with pytest.raises(Unhealthy, match="1 definitions are not served yet"):
                await check()
            await manager.at_rest("definitions")
            await check()


async def test_what_is_defined_later_leaves_it_ready() -> None:
    async with following() as (cluster, definitions):
        creating = asyncio.ensure_future(cluster.create(DEFINITION))
        while not creating.done():
            assert not definitions.unserved()
            await asyncio.sleep(0)
