from typing import Any

import pytest

from memkube.apimachinery.meta.v1.delete_options import DeleteOptions
from memkube.apis.core.v1.references import ObjectReference
from memkube.controllers.framework.event_recorder import EventRecorder, Report
from memkube.controllers.framework.runtime import Runtime
from memkube.registry.declarations.request_options import ListOptions, WriteContext
from tests.controllers.cluster import Cluster, config_map, running

REPORT = Report("Warning", "Broken", "it broke")

pytestmark = pytest.mark.anyio


async def events(cluster: Cluster) -> list[dict[str, Any]]:
    resource = cluster.registry.find("", "v1", "events")
    return [stored.document for stored in (await resource.list("default", ListOptions())).items]


async def test_an_event_says_what_happened_to_what() -> None:
    async with running() as cluster:
        about = await cluster.create(config_map("a"))
        await EventRecorder(Runtime(cluster.parts), "me").record(about, REPORT)
        (event,) = await events(cluster)
        assert event["involvedObject"]["uid"] == about.uid
        assert (event["type"], event["reason"], event["message"], event["count"]) == (*REPORT[:3], 1)
        assert event["source"] == {"component": "me"}


async def test_an_event_may_be_about_a_part_and_come_from_a_host() -> None:
    async with running() as cluster:
        about = await cluster.create(config_map("a"))
        report = REPORT._replace(field_path="data{a}")
        await EventRecorder(Runtime(cluster.parts), "me", "here").record(about, report)
        (event,) = await events(cluster)
        assert event["involvedObject"]["fieldPath"] == "data{a}"
        assert event["source"] == {"component": "me", "host": "here"}


async def test_a_repeated_report_is_counted() -> None:
    async with running() as cluster:
        about = await cluster.create(config_map("a"))
        recorder = EventRecorder(Runtime(cluster.parts), "me")
        for report in (REPORT, REPORT, REPORT._replace(reason="Other")):
            await recorder.record(about, report)
        assert {event["reason"]: event["count"] for event in await events(cluster)} == {"Broken": 2, "Other": 1}


async def test_an_event_that_is_deleted_is_written_again_with_the_next_report() -> None:
    async with running() as cluster:
        about = await cluster.create(config_map("a"))
        recorder = EventRecorder(Runtime(cluster.parts), "me")
        await recorder.record(about, REPORT)
        (event,) = await events(cluster)
        context = WriteContext(namespace="default")
        await cluster.registry.find("", "v1", "events").delete(event["metadata"]["name"], DeleteOptions(), context)
        await recorder.record(about, REPORT)
        assert [event["count"] for event in await events(cluster)] == [2]


async def test_reports_on_one_object_are_limited_and_the_limit_grows_with_time() -> None:
    async with running() as cluster:
        about = await cluster.create(config_map("a"))
        recorder = EventRecorder(Runtime(cluster.parts), "me")
        for _ in range(30):
            await recorder.record(about, REPORT)
        assert (await events(cluster))[0]["count"] == 25
        await cluster.clock.advance(300)
        await recorder.record(about, REPORT)
        await recorder.record(about, REPORT)
        assert (await events(cluster))[0]["count"] == 31


async def test_warnings_have_a_limit_of_their_own() -> None:
    async with running() as cluster:
        about = await cluster.create(config_map("a"))
        recorder = EventRecorder(Runtime(cluster.parts), "me")
        for report in [REPORT] * 30 + [REPORT._replace(type="Normal")] * 2:
            await recorder.record(about, report)
        assert {event["type"]: event["count"] for event in await events(cluster)} == {"Warning": 25, "Normal": 2}


async def test_similar_reports_are_taken_together() -> None:
    async with running() as cluster:
        about = await cluster.create(config_map("a"))
        recorder = EventRecorder(Runtime(cluster.parts), "me")
        for number in range(12):
            await recorder.record(about, REPORT._replace(message=f"it broke {number} times"))
        found = await events(cluster)
        assert [event["count"] for event in found] == [1] * 9 + [3]
        assert found[-1]["message"] == "(combined from similar events): it broke 11 times"


async def test_reports_that_are_ten_minutes_apart_are_not_similar() -> None:
    async with running() as cluster:
        about = await cluster.create(config_map("a"))
        recorder = EventRecorder(Runtime(cluster.parts), "me")
        for number in range(9):
            await recorder.record(about, REPORT._replace(message=f"it broke {number} times"))
        await cluster.clock.advance(601)
        await recorder.record(about, REPORT._replace(message="it broke again"))
        assert len(await events(cluster)) == 10


async def test_an_event_that_has_expired_is_written_again_with_its_count() -> None:
    async with running() as cluster:
        about = await cluster.create(config_map("a"))
        recorder = EventRecorder(Runtime(cluster.parts), "me")
        await recorder.record(about, REPORT)
        (first,) = await events(cluster)
        await cluster.clock.advance(3600)
        await recorder.record(about, REPORT)
        (again,) = await events(cluster)
        assert (again["metadata"]["name"], again["count"]) == (first["metadata"]["name"], 2)
        assert (again["firstTimestamp"], again["lastTimestamp"]) != (first["firstTimestamp"], first["lastTimestamp"])
        assert again["firstTimestamp"] == first["firstTimestamp"]


async def test_an_event_tells_who_reports_from_where() -> None:
    async with running() as cluster:
        about = await cluster.create(config_map("a"))
        recorder = EventRecorder(Runtime(cluster.parts), "kubelet", "node-1", "kubelet")
        await recorder.record(about, REPORT)
        (event,) = await events(cluster)
        assert event["source"] == {"component": "kubelet", "host": "node-1"}
        assert (event["reportingComponent"], event["reportingInstance"]) == ("kubelet", "node-1")
        assert [entry["manager"] for entry in event["metadata"]["managedFields"]] == ["kubelet"]


async def test_an_event_about_an_object_whose_name_suits_no_event_has_another_name() -> None:
    async with running() as cluster:
        about = ObjectReference(kind="ClusterRole", name="system:node", uid="1")
        await EventRecorder(Runtime(cluster.parts), "me").record(about, REPORT)
        (event,) = await events(cluster)
        assert len(event["metadata"]["name"]) == 36


async def test_events_of_objects_that_are_gone_are_not_remembered() -> None:
    async with running() as cluster:
        runtime = Runtime(cluster.parts)
        recorder, stays = EventRecorder(runtime, "me"), await cluster.create(config_map("stays"))
        await recorder.record(stays, REPORT)
        for number in range(200):
            about = await cluster.create(config_map(f"goes-{number}"))
            await recorder.record(about, REPORT)
            await cluster.delete("configmaps", about.name)
        observations = runtime.correlators.saved()[1]["observations"]
        assert len(observations) < 100
        assert observations[0][0][2] == "stays"


async def test_what_makes_no_difference_any_more_is_not_remembered() -> None:
    async with running() as cluster:
        runtime = Runtime(cluster.parts)
        recorder = EventRecorder(runtime, "me")
        for number in range(20):
            await recorder.record(await cluster.create(config_map(f"map-{number}")), REPORT)
        await cluster.clock.advance(601)
        await recorder.record(await cluster.create(config_map("last")), REPORT)
        remembered = runtime.correlators.saved()[1]
        assert [len(remembered[name]) for name in ("similar", "observations", "allowances")] == [1, 21, 1]
