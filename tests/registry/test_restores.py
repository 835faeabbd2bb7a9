"""Requests in progress while a registry is restored, and state that is derived from objects."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

import pytest

from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.meta.v1.delete_options import DeleteOptions
from memkube.registry.declarations.admission import AdmitAll, Attributes
from memkube.registry.declarations.request_options import WriteContext
from memkube.registry.registry import Registry, SavedObjects
from memkube.server.app import create_core
from memkube.server.settings import Settings
from tests.controllers.cluster import Cluster, config_map, running

pytestmark = pytest.mark.anyio


class RestoringAdmission(AdmitAll):
    """An admission plugin that restores the registry while it admits a request."""

    def __init__(self) -> None:
        self.registry: Registry | None = None
        self.saved: SavedObjects | None = None

    async def validate(self, attributes: Attributes) -> None:
        if self.registry is not None and self.saved is not None:
            saved, self.saved = self.saved, None
            await self.registry.restore(saved)


async def overtaken() -> tuple[Registry, RestoringAdmission]:
    """A registry with a ConfigMap, which is restored during the next write."""
    whole, admission = create_core(Settings(controllers=())).parts.registry, RestoringAdmission()
    registry = Registry(
        whole.catalog, replace(whole.backend, admission=admission), whole.shared_state, whole.kind_services
    )
    await registry.find("", "v1", "configmaps").create(_map(registry, "there"), WriteContext("default"))
    admission.registry, admission.saved = registry, await registry.save()
    return registry, admission


def _map(registry: Registry, name: str) -> Any:
    return registry.find("", "v1", "configmaps").resource.model.from_document(config_map(name))


def _label(obj: Any) -> None:
    obj.metadata.labels = {"changed": "yes"}


@pytest.mark.parametrize("verb", ["create", "update", "delete"])
async def test_a_write_that_is_overtaken_by_a_restore_is_in_neither_state(verb: str) -> None:
    registry, _ = await overtaken()
    store, context = registry.find("", "v1", "configmaps"), WriteContext("default")
    writes: dict[str, Callable[[], Awaitable[Any]]] = {
        "create": lambda: store.create(_map(registry, "new"), context),
        "update": lambda: store.update("there", _label, context),
        "delete": lambda: store.delete("there", DeleteOptions(), context),
    }
    with pytest.raises(ApiError, match="the server was restored to a snapshot during the write") as refusal:
        await writes[verb]()
    assert (refusal.value.code, refusal.value.reason) == (409, "Conflict")
    (left,) = await store.all()
    assert (left.name, left.labels) == ("there", {})


async def test_a_write_behind_the_restore_is_taken() -> None:
    registry, _ = await overtaken()
    store = registry.find("", "v1", "configmaps")
    with pytest.raises(ApiError):
        await store.update("there", _label, WriteContext("default"))
    assert (await store.update("there", _label, WriteContext("default"))).labels == {"changed": "yes"}


def event(name: str) -> dict[str, Any]:
    involved = {"kind": "Pod", "namespace": "default", "name": "a"}
    return {"apiVersion": "v1", "kind": "Event", "metadata": {"name": name}, "involvedObject": involved}


async def test_an_event_lives_as_long_as_it_had_to_live() -> None:
    async with running() as cluster:
        await cluster.create(event("a"))
        await cluster.clock.advance(1800)
        saved = await cluster.registry.save()
        await cluster.clock.advance(3600)
        assert await _gone(cluster, "a")
        await cluster.registry.restore(saved)
        cluster.clock.set(cluster.clock.now())
        assert not await _gone(cluster, "a")
        await cluster.clock.advance(0)
        assert await _gone(cluster, "a")


async def _gone(cluster: Cluster, name: str) -> bool:
    return await cluster.get("events", name) is None
