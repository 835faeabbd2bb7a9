"""Recreation of removed system namespaces each minute."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.meta.v1.delete_options import DeleteOptions
from memkube.registry.declarations.request_options import WriteContext
from memkube.registry.registry import Registry
from memkube.server.app import create_core
from memkube.server.bootstrap.standing import create_system_namespaces
from memkube.server.bootstrap.upkeep import NamespaceUpkeep
from memkube.server.settings import Settings
from memkube.time.clock import SteppedClock
from tests.server.bootstrap.creating import create

pytestmark = pytest.mark.anyio


@pytest.fixture
async def registry() -> AsyncIterator[Registry]:
    registry = create_core(Settings(controllers=(), clock="stepped")).parts.registry
    await create_system_namespaces(registry)
    async with NamespaceUpkeep(registry):
        yield registry


async def remove(registry: Registry, name: str) -> None:
    """Delete a namespace, and remove its finalizer as the namespace controller does."""
    store = registry.find("", "v1", "namespaces")
    await store.delete(name, DeleteOptions(), WriteContext())

    def empty(namespace: Any) -> None:
        namespace.spec.finalizers = []

    await store.update(name, empty, WriteContext(), subresource="finalize")


async def exists(registry: Registry, name: str) -> bool:
    try:
        await registry.find("", "v1", "namespaces").get("", name)
    except ApiError:
        return False
    return True


async def advance(registry: Registry, seconds: float) -> None:
    assert isinstance(registry.clock, SteppedClock)
    await registry.clock.advance(seconds)


async def test_a_removed_system_namespace_is_recreated_at_the_next_full_minute(registry: Registry) -> None:
    await advance(registry, 50)
    await remove(registry, "kube-node-lease")
    await advance(registry, 9)
    assert not await exists(registry, "kube-node-lease")
    await advance(registry, 1)
    assert await exists(registry, "kube-node-lease")


async def test_other_namespaces_are_not_recreated(registry: Registry) -> None:
    await create(registry, ("", "v1", "namespaces"), {"metadata": {"name": "mine"}})
    await remove(registry, "mine")
    assert isinstance(registry.clock, SteppedClock)
    assert registry.clock.timers == 0
