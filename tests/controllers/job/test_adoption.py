import pytest

from tests.controllers.cluster import pod, running
from tests.controllers.job.jobs import CONTROLLER, counts, job
from tests.controllers.workloads import listed

FINALIZER = "batch.kubernetes.io/job-tracking"

pytestmark = pytest.mark.anyio


async def test_a_selected_pod_is_adopted_and_tracked() -> None:
    selector = {"matchLabels": {"app": "web"}}
    async with running(CONTROLLER) as cluster:
        await cluster.create(pod("mine"))
        document = job(manualSelector=True, selector=selector)
        document["spec"]["template"]["metadata"] = {"labels": {"app": "web"}}
        await cluster.create(document)
        (adopted,) = await listed(cluster)
        assert adopted.document["metadata"]["finalizers"] == [FINALIZER]
        assert await counts(cluster) == (1, 0, 0)


async def test_a_pod_that_is_selected_no_more_is_let_go_and_made_up_for() -> None:
    async with running(CONTROLLER) as cluster:
        await cluster.create(job())
        (old,) = await listed(cluster)
        await cluster.change("pods", old.name, metadata={"labels": {"app": "other"}})
        released = await cluster.get("pods", old.name)
        assert released is not None
        assert not {"ownerReferences", "finalizers"} & released["metadata"].keys()
        assert len(await listed(cluster)) == 2
        assert await counts(cluster) == (1, 0, 0)
