from typing import Any

import pytest

from memkube.apimachinery.model import Document
from tests.controllers.cluster import CONTAINERS, Cluster, running
from tests.controllers.workloads import TEMPLATE, listed, make_ready, names, status, workload

CONTROLLER = "statefulset"
PODS = ("web-0", "web-1", "web-2")

pytestmark = pytest.mark.anyio


def stateful_set(version: str, **spec: Any) -> Document:
    template = {**TEMPLATE, "metadata": {"labels": {"app": "web", "version": version}}}
    return workload("StatefulSet", 3, template=template, **spec)


async def serve(cluster: Cluster, **spec: Any) -> None:
    """Create a StatefulSet with three ready pods."""
    await cluster.create(stateful_set("1", **spec))
    for name in PODS:
        await make_ready(cluster, name)


async def change(cluster: Cluster, version: str, **spec: Any) -> None:
    await cluster.change("statefulsets", "web", spec=stateful_set(version, **spec)["spec"])


async def versions(cluster: Cluster) -> dict[str, str]:
    return {pod.name: pod.labels["version"] for pod in await listed(cluster)}


async def numbers(cluster: Cluster) -> dict[str, int]:
    """Return the numbers of the ControllerRevisions, by the version of their template."""
    revisions = await listed(cluster, "controllerrevisions")
    return {revision.labels["version"]: revision.document["revision"] for revision in revisions}


async def test_pods_are_replaced_from_the_last_one_on_each_when_the_one_before_serves() -> None:
    async with running(CONTROLLER) as cluster:
        await serve(cluster)
        await change(cluster, "2")
        assert await versions(cluster) == {"web-0": "1", "web-1": "1", "web-2": "2"}
        await make_ready(cluster, "web-2")
        assert await versions(cluster) == {"web-0": "1", "web-1": "2", "web-2": "2"}
        found = await status(cluster, "statefulsets")
        assert (found["currentReplicas"], found["updatedReplicas"]) == (1, 2)


async def test_an_update_ends_when_all_new_pods_serve() -> None:
    async with running(CONTROLLER) as cluster:
        await serve(cluster)
        await change(cluster, "2")
        for name in reversed(PODS):
            await make_ready(cluster, name)
        found = await status(cluster, "statefulsets")
        assert found["currentRevision"] == found["updateRevision"]
        assert (found["currentReplicas"], found["updatedReplicas"], found["readyReplicas"]) == (3, 3, 3)


async def test_pods_before_the_partition_stay_as_they_are_even_when_made_anew() -> None:
    strategy = {"type": "RollingUpdate", "rollingUpdate": {"partition": 2}}
    async with running(CONTROLLER) as cluster:
        await serve(cluster)
        await change(cluster, "2", updateStrategy=strategy)
        await make_ready(cluster, "web-2")
        await cluster.delete("pods", "web-0")
        assert await versions(cluster) == {"web-0": "1", "web-1": "1", "web-2": "2"}


async def test_on_delete_leaves_it_to_the_user_which_pods_are_new() -> None:
    async with running(CONTROLLER) as cluster:
        await serve(cluster, updateStrategy={"type": "OnDelete"})
        await change(cluster, "2", updateStrategy={"type": "OnDelete"})
        assert set((await versions(cluster)).values()) == {"1"}
        await cluster.delete("pods", "web-1")
        assert await versions(cluster) == {"web-0": "1", "web-1": "2", "web-2": "1"}


async def test_a_revision_is_named_as_the_reference_names_it() -> None:
    pod = {"containers": CONTAINERS, "terminationGracePeriodSeconds": 0}
    async with running(CONTROLLER) as cluster:
        await cluster.create(workload("StatefulSet", 1, template={**TEMPLATE, "spec": pod}))
        (revision,) = await listed(cluster, "controllerrevisions")
        assert revision.name == "web-7f478dbd7c"
        assert revision.labels == {"app": "web", "controller.kubernetes.io/hash": "7f478dbd7c"}


async def test_an_old_template_that_comes_back_is_the_latest_revision_again() -> None:
    async with running(CONTROLLER) as cluster:
        await serve(cluster)
        await change(cluster, "2")
        assert await numbers(cluster) == {"1": 1, "2": 2}
        await change(cluster, "1")
        assert await numbers(cluster) == {"1": 3, "2": 2}


async def test_old_revisions_beyond_the_limit_are_forgotten() -> None:
    async with running(CONTROLLER) as cluster:
        await serve(cluster, revisionHistoryLimit=1, updateStrategy={"type": "OnDelete"})
        for version in "234":
            await change(cluster, version, revisionHistoryLimit=1, updateStrategy={"type": "OnDelete"})
        assert set(await numbers(cluster)) == {"1", "3", "4"}


async def test_a_name_that_another_state_has_is_counted_as_a_collision() -> None:
    pod = {"containers": CONTAINERS, "terminationGracePeriodSeconds": 0}
    taken = {"apiVersion": "apps/v1", "kind": "ControllerRevision", "metadata": {"name": "web-7f478dbd7c"}}
    async with running(CONTROLLER) as cluster:
        await cluster.create({**taken, "data": {}, "revision": 1})
        await cluster.create(workload("StatefulSet", 1, template={**TEMPLATE, "spec": pod}))
        found = await status(cluster, "statefulsets")
        assert found["collisionCount"] == 1
        assert found["updateRevision"] != "web-7f478dbd7c"


async def test_a_revision_without_defaults_of_newer_releases_is_the_present_one() -> None:
    template = {"$patch": "replace", "metadata": {"labels": {"app": "web", "version": "1"}}}
    async with running(CONTROLLER) as cluster:
        await cluster.create(
            {
                "apiVersion": "apps/v1",
                "kind": "ControllerRevision",
                "metadata": {"name": "older", "labels": {"app": "web"}},
                "data": {"spec": {"template": {**template, "spec": {"containers": CONTAINERS}}}},
                "revision": 3,
            }
        )
        await cluster.create(stateful_set("1"))
        assert await names(cluster, "controllerrevisions") == ["older"]
        assert (await status(cluster, "statefulsets"))["updateRevision"] == "older"
