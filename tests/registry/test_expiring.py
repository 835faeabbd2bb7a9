from datetime import UTC, datetime
from typing import Any

import pytest

from memkube.registry.declarations.request_options import WatchOptions
from tests.controllers.cluster import Cluster, running

pytestmark = pytest.mark.anyio


def event(name: str) -> dict[str, Any]:
    involved = {"kind": "Pod", "namespace": "default", "name": "a"}
    return {"apiVersion": "v1", "kind": "Event", "metadata": {"name": name}, "involvedObject": involved}


async def names(cluster: Cluster) -> list[str]:
    return [name for name in ("a", "b") if await cluster.get("events", name) is not None]


async def test_an_event_is_kept_for_an_hour() -> None:
    async with running() as cluster:
        await cluster.create(event("a"))
        await cluster.clock.advance(1800)
        await cluster.create(event("b"))
        await cluster.clock.advance(1799)
        assert await names(cluster) == ["a", "b"]
        await cluster.clock.advance(1)
        assert await names(cluster) == ["b"]
        await cluster.clock.advance(3600)
        assert await names(cluster) == []


async def test_a_change_gives_an_event_another_hour() -> None:
    async with running() as cluster:
        for name in ("a", "b"):
            await cluster.create(event(name))
        await cluster.clock.advance(3000)
        await cluster.change("events", "a", count=2)
        await cluster.clock.advance(3000)
        assert await names(cluster) == ["a"]


async def test_a_write_that_changes_nothing_gives_it_no_more_time() -> None:
    async with running() as cluster:
        await cluster.create(event("a"))
        await cluster.clock.advance(3000)
        await cluster.change("events", "a")
        await cluster.clock.advance(600)
        assert await names(cluster) == []


async def test_an_event_of_a_fraction_of_a_second_is_not_cut_short() -> None:
    async with running() as cluster:
        await cluster.clock.advance(0.25)
        await cluster.create(event("a"))
        await cluster.clock.advance(3600)
        assert await names(cluster) == ["a"]
        await cluster.clock.advance(0.75)
        assert await names(cluster) == []


async def test_watchers_see_events_expire() -> None:
    async with running() as cluster:
        stored = await cluster.create(event("a"))
        watch = cluster.store("events").watch("", WatchOptions(resource_version=stored.resource_version))
        await watch.start()
        await cluster.clock.advance(3600)
        assert [(seen.type, seen.object.name) for seen in await watch.next(0)] == [("DELETED", "a")]


async def test_events_that_are_written_in_the_other_group_expire_as_well() -> None:
    async with running() as cluster:
        regarding = {"kind": "Pod", "namespace": "default", "name": "a"}
        document = {
            "apiVersion": "events.k8s.io/v1",
            "kind": "Event",
            "metadata": {"name": "a"},
            "eventTime": datetime.now(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z"),
            "reportingController": "test",
            "reportingInstance": "test",
            "action": "Try",
            "reason": "Tried",
            "type": "Normal",
            "regarding": regarding,
        }
        await cluster.create(document)
        await cluster.create(event("b"))
        await cluster.clock.advance(3600)
        assert await names(cluster) == []


async def test_an_event_that_is_deleted_and_created_again_lives_its_full_time() -> None:
    async with running() as cluster:
        await cluster.create(event("a"))
        await cluster.clock.advance(1800)
        await cluster.delete("events", "a")
        await cluster.create(event("a"))
        await cluster.clock.advance(3599)
        assert await names(cluster) == ["a"]


async def test_many_events_expire_together() -> None:
    async with running() as cluster:
        for number in range(250):
            await cluster.create(event(f"e{number}"))
        await cluster.clock.advance(3600)
        assert await cluster.get("events", "e249") is None
