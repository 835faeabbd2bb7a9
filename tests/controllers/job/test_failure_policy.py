from typing import Any

import pytest

from memkube.apimachinery.model import Document
from tests.controllers.cluster import running
from tests.controllers.job.jobs import CONTROLLER, conditions, counts, fail_next, indexed, job, pending, status
from tests.controllers.workloads import reports

pytestmark = pytest.mark.anyio


def policy(action: str, operator: str = "In", values: tuple[int, ...] = (42,)) -> Document:
    return {"rules": [{"action": action, "onExitCodes": {"operator": operator, "values": list(values)}}]}


@pytest.mark.parametrize(("code", "failed"), [(42, 0), (1, 1)])
async def test_a_failure_that_is_ignored_does_not_count(code: int, failed: int) -> None:
    async with running(CONTROLLER) as cluster:
        await cluster.create(job(backoffLimit=3, podFailurePolicy=policy("Ignore")))
        await fail_next(cluster, code)
        assert await counts(cluster) == (0, 0, failed)
        await cluster.clock.advance(11)
        assert len(await pending(cluster)) == 1


async def test_a_failure_can_fail_the_whole_job() -> None:
    async with running(CONTROLLER) as cluster:
        await cluster.create(job(podFailurePolicy=policy("FailJob", "NotIn", (7,))))
        (pod,) = await pending(cluster)
        await fail_next(cluster, 42)
        found = ("FailureTarget", "PodFailurePolicy"), ("Failed", "PodFailurePolicy")
        assert await conditions(cluster) == list(found)
        assert await reports(cluster, "PodFailurePolicy") == [
            f"Container app for pod default/{pod.name} failed with exit code 42 matching FailJob rule at index 0"
        ]


async def test_a_failure_can_fail_its_index_for_good() -> None:
    async with running(CONTROLLER) as cluster:
        await cluster.create(indexed(2, backoffLimitPerIndex=5, podFailurePolicy=policy("FailIndex")))
        await fail_next(cluster, 42)
        assert len((await status(cluster))["failedIndexes"]) == 1


@pytest.mark.parametrize(("status_wanted", "failed"), [("True", True), ("False", False)])
async def test_a_condition_of_a_pod_can_fail_the_job(status_wanted: str, failed: bool) -> None:
    rule: dict[str, Any] = {
        "action": "FailJob",
        "onPodConditions": [{"type": "DisruptionTarget", "status": status_wanted}],
    }
    async with running(CONTROLLER) as cluster:
        await cluster.create(job(podFailurePolicy={"rules": [rule]}))
        (pod,) = await pending(cluster)
        disrupted = {"phase": "Failed", "conditions": [{"type": "DisruptionTarget", "status": "True"}]}
        await cluster.change("pods", pod.name, subresource="status", status=disrupted)
        assert (("Failed", "PodFailurePolicy") in await conditions(cluster)) == failed


async def test_where_failures_are_told_apart_pods_are_made_up_for_once_they_have_ended() -> None:
    async with running(CONTROLLER) as cluster:
        await cluster.create(job(podFailurePolicy=policy("Ignore")))
        (pod,) = await pending(cluster)
        held = [*pod.document["metadata"]["finalizers"], "example.com/hold"]
        await cluster.change("pods", pod.name, metadata={"finalizers": held})
        await cluster.delete("pods", pod.name)
        await cluster.clock.advance(60)
        assert len(await pending(cluster)) == 1
        assert (await status(cluster))["terminating"] == 1
