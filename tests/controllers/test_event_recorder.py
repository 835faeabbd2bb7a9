from typing import Any

import pytest

from memkube.apimachinery.meta.v1.delete_options import DeleteOptions
from memkube.controllers.event_recorder import EventRecorder, Report
from memkube.controllers.runtime import Runtime
from memkube.registry.context import WriteContext
from memkube.registry.options import ListOptions
from tests.controllers.cluster import Cluster, config_map, running

REPORT = Report("Warning", "Broken", "it broke")

pytestmark = pytest.mark.anyio


async def events(cluster: Cluster) -> list[dict[str, Any]]:
    resource = cluster.registry.find("", "v1", "events")
    return [stored.document for stored in (await resource.list("default", ListOptions())).items]


async def test_an_event_says_what_happened_to_what() -> None:
    async with running() as cluster:
        about = await cluster.create(config_map("a"))
        await EventRecorder(Runtime(cluster.registry), "me").record(about, REPORT)
        (event,) = await events(cluster)
        assert event["involvedObject"]["uid"] == about.uid
        assert (event["type"], event["reason"], event["message"], event["count"]) == (*REPORT[:3], 1)
        assert event["source"] == {"component": "me"}


async def test_an_event_may_be_about_a_part_and_come_from_a_host() -> None:
    async with running() as cluster:
        about = await cluster.create(config_map("a"))
        report = REPORT._replace(field_path="data{a}")
        await EventRecorder(Runtime(cluster.registry), "me", "here").record(about, report)
        (event,) = await events(cluster)
        assert event["involvedObject"]["fieldPath"] == "data{a}"
        assert event["source"] == {"component": "me", "host": "here"}


async def test_a_repeated_report_is_counted() -> None:
    async with running() as cluster:
        about = await cluster.create(config_map("a"))
        recorder = EventRecorder(Runtime(cluster.registry), "me")
        for report in (REPORT, REPORT, REPORT._replace(reason="Other")):
            await recorder.record(about, report)
        assert {event["reason"]: event["count"] for event in await events(cluster)} == {"Broken": 2, "Other": 1}


async def test_a_report_whose_event_is_gone_gets_a_new_one() -> None:
    async with running() as cluster:
        about = await cluster.create(config_map("a"))
        recorder = EventRecorder(Runtime(cluster.registry), "me")
        await recorder.record(about, REPORT)
        (event,) = await events(cluster)
        context = WriteContext(namespace="default")
        await cluster.registry.find("", "v1", "events").delete(event["metadata"]["name"], DeleteOptions(), context)
        await recorder.record(about, REPORT)
        assert [event["count"] for event in await events(cluster)] == [1]


async def test_reports_on_one_object_are_limited_and_the_limit_grows_with_time() -> None:
    async with running() as cluster:
        about = await cluster.create(config_map("a"))
        recorder = EventRecorder(Runtime(cluster.registry), "me")
        for _ in range(30):
            await recorder.record(about, REPORT)
        assert (await events(cluster))[0]["count"] == 25
        await cluster.clock.advance(300)
        await recorder.record(about, REPORT)
        await recorder.record(about, REPORT)
        assert (await events(cluster))[0]["count"] == 26
