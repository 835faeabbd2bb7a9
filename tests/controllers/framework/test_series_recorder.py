"""Events of events.k8s.io/v1 that the scheduler records."""

import asyncio
import json
from typing import Any

import orjson
import pytest

from memkube.apimachinery.meta.v1.delete_options import DeleteOptions
from memkube.controllers.framework.event_recorder import Report
from memkube.controllers.framework.runtime import RestoredState, Runtime
from memkube.controllers.framework.series_recorder import SeriesRecorder
from memkube.registry.declarations.request_options import ListOptions, WriteContext
from memkube.registry.objects.stored import StoredObject
from memkube.snapshots.files import as_json
from tests.controllers.cluster import Cluster, config_map, running

REPORT = Report("Warning", "Broken", "it broke", action="Breaking")

pytestmark = pytest.mark.anyio


async def events(cluster: Cluster) -> list[dict[str, Any]]:
    resource = cluster.registry.find("events.k8s.io", "v1", "events")
    return [stored.document for stored in (await resource.list("default", ListOptions())).items]


async def record(recorder: SeriesRecorder, about: StoredObject, *messages: str) -> None:
    for message in messages:
        await recorder.record("me", about, REPORT._replace(message=message))


async def test_an_event_has_its_action_and_no_deprecated_fields() -> None:
    async with running() as cluster:
        about, other = await cluster.create(config_map("a")), await cluster.create(config_map("b"))
        await SeriesRecorder(Runtime(cluster.parts), "boss").record("me", about, REPORT, other)
        (event,) = await events(cluster)
        assert (event["type"], event["reason"], event["note"], event["action"]) == (
            "Warning",
            "Broken",
            "it broke",
            "Breaking",
        )
        assert (event["reportingController"], event["reportingInstance"]) == ("me", "me-memkube")
        assert (event["regarding"]["uid"], event["related"]["uid"]) == (about.uid, other.uid)
        assert (event["deprecatedFirstTimestamp"], event["deprecatedSource"]) == (None, {})
        assert "series" not in event
        assert "deprecatedCount" not in event


async def test_a_repeated_event_becomes_a_series_and_keeps_its_first_message() -> None:
    async with running() as cluster:
        about = await cluster.create(config_map("a"))
        await record(SeriesRecorder(Runtime(cluster.parts), "boss"), about, "one", "two", "three")
        (event,) = await events(cluster)
        assert (event["note"], event["series"]["count"]) == ("one", 2)


async def test_an_event_about_another_revision_of_the_object_is_another_event() -> None:
    async with running() as cluster:
        about = await cluster.create(config_map("a"))
        recorder = SeriesRecorder(Runtime(cluster.parts), "boss")
        await record(recorder, about, "one")
        changed = await cluster.change("configmaps", "a", data={"k": "v"})
        await record(recorder, changed, "two")
        assert sorted(event["note"] for event in await events(cluster)) == ["one", "two"]


async def test_a_series_that_has_ended_has_the_count_of_its_events() -> None:
    async with running() as cluster:
        about = await cluster.create(config_map("a"))
        runtime = Runtime(cluster.parts)
        recorder = SeriesRecorder(runtime, "boss")
        work = asyncio.create_task(runtime.queues[0].run())
        await record(recorder, about, "one", "two", "three", "four")
        await cluster.clock.advance(360)
        assert [event["series"]["count"] for event in await events(cluster)] == [2]
        await cluster.clock.advance(360)
        assert [event["series"]["count"] for event in await events(cluster)] == [4]
        work.cancel()


async def test_a_single_event_ends_after_six_to_twelve_minutes() -> None:
    async with running() as cluster:
        about = await cluster.create(config_map("a"))
        recorder = SeriesRecorder(Runtime(cluster.parts), "boss")
        await cluster.clock.advance(1)
        await record(recorder, about, "one")
        await cluster.clock.advance(720)
        await record(recorder, about, "two")
        assert sorted(event["note"] for event in await events(cluster)) == ["one", "two"]


async def test_a_deleted_event_is_written_again_with_its_series() -> None:
    async with running() as cluster:
        about = await cluster.create(config_map("a"))
        recorder = SeriesRecorder(Runtime(cluster.parts), "boss")
        await record(recorder, about, "one")
        (event,) = await events(cluster)
        context = WriteContext(namespace="default")
        await cluster.registry.find("", "v1", "events").delete(event["metadata"]["name"], DeleteOptions(), context)
        await record(recorder, about, "two")
        assert [(event["note"], event["series"]["count"]) for event in await events(cluster)] == [("one", 2)]


async def test_a_series_continues_after_its_recorder_was_restored_from_a_snapshot() -> None:
    async with running() as cluster:
        about, other = await cluster.create(config_map("a")), await cluster.create(config_map("b"))
        runtime = Runtime(cluster.parts)
        recorder = SeriesRecorder(runtime, "boss")
        await recorder.record("me", about, REPORT, other)
        await recorder.record("me", about, REPORT)
        state = json.loads(orjson.dumps(runtime.saved(), as_json))
        restored = SeriesRecorder(Runtime(cluster.parts, restored=RestoredState(state)), "boss")
        await restored.record("me", about, REPORT, other)
        await restored.record("me", about, REPORT)
        assert [(event.get("related") is None, event["series"]["count"]) for event in await events(cluster)] == [
            (False, 2),
            (True, 2),
        ]
