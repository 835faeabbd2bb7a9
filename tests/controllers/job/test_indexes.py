from typing import Any

import pytest

from memkube.controllers.job.pods import Indexes
from tests.controllers.cluster import running
from tests.controllers.job.jobs import CONTROLLER, conditions, end, indexed, pending, status
from tests.controllers.workloads import listed

INDEX = "batch.kubernetes.io/job-completion-index"

pytestmark = pytest.mark.anyio


def index_of(pod: Any) -> str:
    return str(pod.labels[INDEX])


async def test_a_pod_knows_its_index() -> None:
    async with running(CONTROLLER) as cluster:
        await cluster.create(indexed(2))
        pod = sorted(await listed(cluster), key=index_of)[1]
        assert pod.document["metadata"]["annotations"][INDEX] == index_of(pod) == "1"
        assert pod.name.startswith("work-1-")
        assert pod.document["spec"]["hostname"] == "work-1"
        (variable,) = pod.document["spec"]["containers"][0]["env"]
        field = {"apiVersion": "v1", "fieldPath": f"metadata.labels['{INDEX}']"}
        assert variable == {"name": "JOB_COMPLETION_INDEX", "valueFrom": {"fieldRef": field}}


async def test_each_index_has_to_succeed_once() -> None:
    async with running(CONTROLLER) as cluster:
        await cluster.create(indexed(3))
        for pod in sorted(await listed(cluster), key=index_of)[1:]:
            await end(cluster, pod)
        assert (await status(cluster))["completedIndexes"] == "1,2"
        await end(cluster, (await pending(cluster))[0])
        assert (await status(cluster))["completedIndexes"] == "0-2"
        assert ("Complete", "CompletionsReached") in await conditions(cluster)


async def test_an_index_that_failed_is_tried_again_by_itself() -> None:
    async with running(CONTROLLER) as cluster:
        await cluster.create(indexed(2, backoffLimitPerIndex=1))
        first = min(await listed(cluster), key=index_of)
        await end(cluster, first, "Failed", 1)
        assert [index_of(pod) for pod in await pending(cluster)] == ["1"]
        await cluster.clock.advance(11)
        again = min(await pending(cluster), key=index_of)
        assert again.document["metadata"]["annotations"]["batch.kubernetes.io/job-index-failure-count"] == "1"
        await end(cluster, again, "Failed", 1)
        assert (await status(cluster))["failedIndexes"] == "0"
        assert len(await pending(cluster)) == 1


async def test_a_job_fails_at_the_end_for_its_failed_indexes() -> None:
    async with running(CONTROLLER) as cluster:
        await cluster.create(indexed(2, backoffLimitPerIndex=0))
        first, second = sorted(await listed(cluster), key=index_of)
        await end(cluster, first, "Failed", 1)
        assert await conditions(cluster) == []
        await end(cluster, second)
        assert await conditions(cluster) == [("FailureTarget", "FailedIndexes"), ("Failed", "FailedIndexes")]


async def test_a_job_fails_at_once_when_too_many_indexes_have() -> None:
    async with running(CONTROLLER) as cluster:
        await cluster.create(indexed(3, backoffLimitPerIndex=0, maxFailedIndexes=0))
        await end(cluster, (await pending(cluster))[0], "Failed", 1)
        assert ("Failed", "MaxFailedIndexesExceeded") in await conditions(cluster)


@pytest.mark.parametrize(
    ("rule", "ended"),
    [
        ({"succeededCount": 1}, True),
        ({"succeededIndexes": "0"}, True),
        ({"succeededIndexes": "1-2"}, False),
        ({"succeededIndexes": "0-2", "succeededCount": 2}, False),
    ],
)
async def test_a_success_policy_ends_a_job_early(rule: dict[str, Any], ended: bool) -> None:
    async with running(CONTROLLER) as cluster:
        await cluster.create(indexed(3, successPolicy={"rules": [rule]}))
        await end(cluster, min(await listed(cluster), key=index_of))
        assert (("Complete", "SuccessPolicy") in await conditions(cluster)) == ended
        assert len(await pending(cluster)) == (0 if ended else 2)


@pytest.mark.parametrize(
    ("text", "more", "written", "missing"),
    [
        ("", [], "", [0, 1, 2, 3, 4]),
        ("0,2", [1], "0-2", [3, 4]),
        ("0", [1], "0,1", [2, 3, 4]),
        ("1-3,x,9", [], "1-3", [0, 4]),
        ("3-9", [0], "0,3,4", [1, 2]),
    ],
)
def test_indexes_are_written_as_intervals(text: str, more: list[int], written: str, missing: list[int]) -> None:
    indexes = Indexes.parse(text, 5).with_each(more)
    assert (str(indexes), list(indexes.missing(5))) == (written, missing)
    assert len(indexes) == 5 - len(missing)
