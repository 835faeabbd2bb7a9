"""Scheduling after a binding has failed."""

from dataclasses import replace

import pytest

from memkube.registry.declarations.admission import AdmitAll, Attributes, refused
from tests.controllers.cluster import Cluster
from tests.controllers.scheduler.scheduling import events, node, node_of, place, pod, scheduled_condition, scheduling

pytestmark = pytest.mark.anyio
WHY = 'running Bind plugin "DefaultBinder": pods "web" is forbidden: not today'


class RefuseBindings(AdmitAll):
    def __init__(self) -> None:
        self.attempts = 0

    async def validate(self, attributes: Attributes) -> None:
        if attributes.subresource == "binding":
            self.attempts += 1
            raise refused(attributes, "not today")


def refuse_bindings(cluster: Cluster) -> RefuseBindings:
    pods, admission = cluster.store("pods"), RefuseBindings()
    pods.backend = replace(pods.backend, admission=admission)
    return admission


async def test_the_pod_is_told_so() -> None:
    async with scheduling(node("a")) as cluster:
        refuse_bindings(cluster)
        assert await place(cluster, pod("web")) is None
        condition = await scheduled_condition(cluster, "web")
        assert (condition["reason"], condition["message"]) == ("SchedulerError", WHY)
        (event,) = await events(cluster, "FailedScheduling")
        assert event["message"] == WHY


async def test_it_is_tried_again_ever_later() -> None:
    async with scheduling(node("a")) as cluster:
        refusing = refuse_bindings(cluster)
        await cluster.create(pod("web"))
        attempts = [1]
        for _ in range(40):
            await cluster.clock.advance(1)
            attempts.append(refusing.attempts)
        assert [second for second in range(1, 41) if attempts[second] > attempts[second - 1]] == [2, 5, 10, 19, 30]


async def test_it_works_once_nothing_is_in_the_way() -> None:
    async with scheduling(node("a")) as cluster:
        backend = cluster.store("pods").backend
        refuse_bindings(cluster)
        await cluster.create(pod("web"))
        cluster.store("pods").backend = backend
        await cluster.clock.advance(2)
        assert await node_of(cluster, "web") == "a"


async def test_the_node_is_free_for_others_meanwhile() -> None:
    async with scheduling(node("a", pods="1")) as cluster:
        backend = cluster.store("pods").backend
        refuse_bindings(cluster)
        await cluster.create(pod("web"))
        cluster.store("pods").backend = backend
        assert await place(cluster, pod("other")) == "a"


async def test_a_pod_that_is_gone_by_then_is_forgotten() -> None:
    async with scheduling(node("a", pods="1")) as cluster:
        refusing = refuse_bindings(cluster)
        await cluster.create(pod("web"))
        await cluster.delete("pods", "web")
        await cluster.clock.advance(60)
        assert refusing.attempts == 1


async def test_a_pod_that_is_being_deleted_needs_no_node() -> None:
    async with scheduling() as cluster:
        document = pod("web")
        document["metadata"]["finalizers"] = ["example.com/wait"]
        await cluster.create(document)
        await cluster.delete("pods", "web")
        await cluster.create(node("a"))
        reports = [event["message"] for event in await events(cluster, "FailedScheduling")]
        assert reports[-1] == "skip schedule deleting pod: default/web"


async def test_a_pod_with_an_invalid_preference_is_not_scheduled_while_nodes_must_be_compared() -> None:
    expression = {"key": "gen", "operator": "Gt", "values": ["-4"]}
    preferred = [{"weight": 1, "preference": {"matchExpressions": [expression]}}]
    affinity = {"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": preferred}}
    async with scheduling(node("a"), node("b")) as cluster:
        assert await place(cluster, pod("web", affinity=affinity)) is None
        condition = await scheduled_condition(cluster, "web")
        assert condition["reason"] == "SchedulerError"
        assert condition["message"].startswith(
            'running PreScore plugin "NodeAffinity": [0].matchExpressions[0].values[0][gen]: Invalid value: "-4"'
        )
