import asyncio
from typing import Any

import pytest

from memkube.registry.declarations.request_options import ListOptions
from memkube.registry.objects.stored import StoredObject
from memkube.registry.registry import Registry
from memkube.server.app import create_core
from memkube.server.settings import Settings
from memkube.snapshots.adding import UnknownKind, add_objects

_MAP = "/core/configmaps/default/m"


def _map(name: str = "m", **metadata: Any) -> StoredObject:
    metadata = {"name": name, "namespace": "default", "uid": f"uid-of-{name}", "resourceVersion": "900", **metadata}
    return StoredObject({"kind": "ConfigMap", "apiVersion": "v1", "metadata": metadata})


async def _maps(registry: Registry) -> list[dict[str, Any]]:
    listed = await registry.find("", "v1", "configmaps").list("", ListOptions())
    return [stored.document["metadata"] for stored in listed.items]


def test_objects_stay_as_they_are_but_for_their_revisions() -> None:
    async def added() -> list[dict[str, Any]]:
        registry = create_core(Settings()).parts.registry
        assert await add_objects(registry, {_MAP: _map(finalizers=["example.com/x"], deletionTimestamp="then")}) == 1
        return await _maps(registry)

    (metadata,) = asyncio.run(added())
    assert metadata == {
        "name": "m",
        "namespace": "default",
        "uid": "uid-of-m",
        "resourceVersion": "1",
        "finalizers": ["example.com/x"],
        "deletionTimestamp": "then",
    }


def test_what_is_there_stays_and_what_is_called_the_same_is_replaced() -> None:
    async def added() -> list[dict[str, Any]]:
        registry = create_core(Settings()).parts.registry
        await add_objects(registry, {_MAP: _map(), f"{_MAP}2": _map("m2")})
        await add_objects(registry, {_MAP: _map(uid="another")})
        return await _maps(registry)

    replaced, kept = asyncio.run(added())
    assert (replaced["uid"], kept["uid"]) == ("another", "uid-of-m2")
    assert int(replaced["resourceVersion"]) > int(kept["resourceVersion"])


def test_what_each_server_has_of_its_own_stays() -> None:
    async def added() -> int:
        registry = create_core(Settings()).parts.registry
        key = "/core/services/default/kubernetes"
        metadata = {"name": "kubernetes", "namespace": "default", "uid": "u"}
        service = StoredObject({"kind": "Service", "apiVersion": "v1", "metadata": metadata})
        assert await add_objects(registry, {key: service}) == 1
        return await add_objects(registry, {key: service})

    assert asyncio.run(added()) == 0


def test_kinds_that_nobody_serves_are_refused_before_anything_is_written() -> None:
    async def refused() -> list[dict[str, Any]]:
        registry = create_core(Settings()).parts.registry
        with pytest.raises(UnknownKind, match="no kind ConfigMap of v1 is known"):
            await add_objects(registry, {_MAP: _map(), "/example.com/widgets/default/m": _map()})
        return await _maps(registry)

    assert asyncio.run(refused()) == []
