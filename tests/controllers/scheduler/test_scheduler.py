import pytest

from memkube.apimachinery.model import Document
from tests.controllers.scheduler.scheduling import (
    add_node,
    events,
    node,
    node_of,
    place,
    pod,
    refusal,
    scheduled_condition,
    scheduling,
)

pytestmark = pytest.mark.anyio
TOO_LARGE = {"cpu": "5"}


async def test_a_pod_is_bound_to_a_node() -> None:
    async with scheduling(node("a")) as cluster:
        assert await place(cluster, pod("web")) == "a"
        assert (await scheduled_condition(cluster, "web"))["status"] == "True"


async def test_binding_is_reported() -> None:
    async with scheduling(node("a")) as cluster:
        await cluster.create(pod("web"))
        (event,) = await events(cluster, "Scheduled")
        assert (event["type"], event["message"]) == ("Normal", "Successfully assigned default/web to a")


async def test_a_pod_that_fits_nowhere_is_told_so() -> None:
    async with scheduling(node("a")) as cluster:
        await cluster.create(pod("web", requests=TOO_LARGE))
        condition = await scheduled_condition(cluster, "web")
        assert (condition["status"], condition["reason"]) == ("False", "Unschedulable")
        assert condition["message"].startswith("0/1 nodes are available: 1 Insufficient cpu.")
        (event,) = await events(cluster, "FailedScheduling")
        assert (event["type"], event["message"]) == ("Warning", condition["message"])


async def test_without_nodes_pods_wait() -> None:
    async with scheduling() as cluster:
        await cluster.create(pod("web"))
        assert await refusal(cluster, "web") == "no nodes available to schedule pods"
        await add_node(cluster, node("a"))
        assert await node_of(cluster, "web") == "a"


@pytest.mark.parametrize(
    "spec",
    [
        {"schedulerName": "another"},
        {"schedulingGates": [{"name": "example.com/wait"}]},
    ],
)
async def test_some_pods_are_left_alone(spec: Document) -> None:
    async with scheduling(node("a")) as cluster:
        assert await place(cluster, pod("web", **spec)) is None
        assert await events(cluster, "FailedScheduling") == []


async def test_a_pod_is_scheduled_once_its_gates_are_gone() -> None:
    async with scheduling(node("a")) as cluster:
        gated = await cluster.create(pod("web", schedulingGates=[{"name": "example.com/wait"}]))
        assert (await scheduled_condition(cluster, "web"))["reason"] == "SchedulingGated"
        await cluster.change("pods", "web", spec={**gated.document["spec"], "schedulingGates": []})
        assert await node_of(cluster, "web") == "a"


async def test_pods_go_where_most_is_left() -> None:
    async with scheduling(node("a"), node("b", cpu="8", memory="16Gi")) as cluster:
        placed = [await place(cluster, pod(name, requests={"cpu": "2", "memory": "4Gi"})) for name in "xyz"]
        assert placed == ["b", "a", "b"]


async def test_ties_go_to_the_node_with_the_fewest_pods_then_by_name() -> None:
    async with scheduling(node("b"), node("a"), node("c")) as cluster:
        assert [await place(cluster, pod(f"web-{number}")) for number in range(4)] == ["a", "b", "c", "a"]


async def test_important_pods_come_first() -> None:
    async with scheduling() as cluster:
        await cluster.create(pod("web", requests={"cpu": "3"}))
        await cluster.create(pod("critical", requests={"cpu": "3"}, priorityClassName="system-node-critical"))
        await add_node(cluster, node("a"))
        assert await node_of(cluster, "critical") == "a"
        assert await node_of(cluster, "web") is None


async def test_a_pod_that_was_bound_by_someone_else_takes_its_place() -> None:
    async with scheduling(node("a"), node("b")) as cluster:
        await cluster.create(pod("there", requests={"cpu": "4"}, nodeName="a"))
        assert await place(cluster, pod("web", requests={"cpu": "1"})) == "b"
