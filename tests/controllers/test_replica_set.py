import pytest

from memkube.apimachinery.model import Document
from tests.controllers.cluster import READY, config_map, owned_by, pod, running
from tests.controllers.workloads import TEMPLATE, listed, make_ready, names, reports, status, workload

RUNNING = {"phase": "Running"}

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    ("controller", "kind", "plural"),
    [
        ("replicaset", "ReplicaSet", "replicasets"),
        ("replicationcontroller", "ReplicationController", "replicationcontrollers"),
    ],
)
async def test_there_are_as_many_pods_as_wanted(controller: str, kind: str, plural: str) -> None:
    async with running(controller) as cluster:
        owner = await cluster.create(workload(kind, 3))
        pods = await listed(cluster)
        assert len(pods) == 3
        assert all(each.name.startswith("web-") for each in pods)
        reference = owned_by(owner, controller=True, blockOwnerDeletion=True)
        assert all(each.document["metadata"]["ownerReferences"] == [reference] for each in pods)
        found = await status(cluster, plural)
        assert (found["replicas"], found["fullyLabeledReplicas"], found["observedGeneration"]) == (3, 3, 1)
        assert sorted(await reports(cluster, "SuccessfulCreate")) == sorted(f"Created pod: {p.name}" for p in pods)


async def test_pods_of_one_template_share_their_spec_in_memory() -> None:
    async with running("replicaset") as cluster:
        await cluster.create(workload("ReplicaSet", 4))
        *_, third, fourth = sorted(await listed(cluster), key=lambda pod: int(pod.resource_version))
        specs = cluster.registry.find("", "v1", "pods").specs
        assert specs is not None
        shared = [specs.find_stored(pod.document["spec"], pod.uid) for pod in (third, fourth)]
        assert shared[0] is not None
        assert shared[0] is shared[1]


async def test_pods_that_failed_or_are_going_are_made_up_for() -> None:
    async with running("replicaset") as cluster:
        await cluster.create(workload("ReplicaSet", 2))
        first, second = await names(cluster)
        await cluster.change("pods", first, subresource="status", status={"phase": "Failed"})
        await cluster.change("pods", second, metadata={"finalizers": ["example.com/hold"]})
        await cluster.delete("pods", second)
        assert len(await names(cluster)) == 4
        found = await status(cluster, "replicasets")
        assert (found["replicas"], found["terminatingReplicas"]) == (2, 1)


@pytest.mark.parametrize(
    ("stays", "goes"),
    [
        (READY, RUNNING),
        (RUNNING, {"phase": "Pending"}),
        (
            {**READY, "containerStatuses": [{"name": "app", "restartCount": 1}]},
            {**READY, "containerStatuses": [{"name": "app", "restartCount": 2}]},
        ),
    ],
)
async def test_the_pod_that_serves_least_goes_first(stays: Document, goes: Document) -> None:
    async with running("replicaset") as cluster:
        await cluster.create(workload("ReplicaSet", 2))
        one, other = await names(cluster)
        await cluster.change("pods", one, subresource="status", status=goes)
        await cluster.change("pods", other, subresource="status", status=stays)
        await cluster.change("replicasets", "web", spec=workload("ReplicaSet", 1)["spec"])
        assert await names(cluster) == [other]
        assert await reports(cluster, "SuccessfulDelete") == [f"Deleted pod: {one}"]


async def test_a_pod_that_costs_little_goes_first() -> None:
    async with running("replicaset") as cluster:
        await cluster.create(workload("ReplicaSet", 2))
        one, other = await names(cluster)
        cost = {"controller.kubernetes.io/pod-deletion-cost": "-10"}
        await cluster.change("pods", other, metadata={"annotations": cost})
        await cluster.change("replicasets", "web", spec=workload("ReplicaSet", 1)["spec"])
        assert await names(cluster) == [one]


@pytest.mark.parametrize(("controlled", "stay"), [(True, {"crowded", "quiet"}), (False, {"crowded"})])
async def test_pods_are_spread_over_nodes_where_somebody_controls_the_replica_set(
    controlled: bool, stay: set[str]
) -> None:
    async with running("replicaset") as cluster:
        for name, node, year in [("a", "crowded", 2020), ("b", "crowded", 2020), ("c", "quiet", 2026)]:
            ready = {"type": "Ready", "status": "True", "lastTransitionTime": f"{year}-01-01T00:00:00Z"}
            placed = pod(name, {"phase": "Running", "conditions": [ready]})
            await cluster.create({**placed, "spec": {**placed["spec"], "nodeName": node}})
        owner = owned_by(await cluster.create(config_map("owner")), controller=True)
        metadata = {"name": "web", "ownerReferences": [owner] if controlled else []}
        await cluster.create({**workload("ReplicaSet", 2), "metadata": metadata})
        left = [each.document for each in await listed(cluster) if "deletionTimestamp" not in each.document["metadata"]]
        assert {document["spec"]["nodeName"] for document in left} == stay


async def test_pods_that_are_selected_are_adopted() -> None:
    async with running("replicaset") as cluster:
        await cluster.create(pod("mine"))
        owner = await cluster.create(workload("ReplicaSet", 1))
        (adopted,) = await listed(cluster)
        reference = owned_by(owner, controller=True, blockOwnerDeletion=True)
        assert adopted.document["metadata"]["ownerReferences"] == [reference]


async def test_a_pod_that_is_not_selected_any_more_is_released() -> None:
    async with running("replicaset") as cluster:
        await cluster.create(workload("ReplicaSet", 1))
        (name,) = await names(cluster)
        await cluster.change("pods", name, metadata={"labels": {"app": "other"}})
        document = await cluster.get("pods", name)
        assert document is not None
        assert "ownerReferences" not in document["metadata"]
        assert len(await names(cluster)) == 2


async def test_a_pod_is_available_when_it_has_been_ready_for_long_enough() -> None:
    async with running("replicaset") as cluster:
        await cluster.create(workload("ReplicaSet", 1, minReadySeconds=30))
        await make_ready(cluster, *await names(cluster))
        found = await status(cluster, "replicasets")
        assert (found["readyReplicas"], found.get("availableReplicas", 0)) == (1, 0)
        await cluster.clock.advance(29)
        assert "availableReplicas" not in await status(cluster, "replicasets")
        await cluster.clock.advance(1)
        assert (await status(cluster, "replicasets"))["availableReplicas"] == 1


async def test_pods_that_are_refused_are_reported_until_none_are_wanted() -> None:
    async with running("replicaset") as cluster:
        template = {**TEMPLATE, "spec": {**TEMPLATE["spec"], "priorityClassName": "none"}}
        await cluster.create(workload("ReplicaSet", 3, template=template))
        (condition,) = (await status(cluster, "replicasets"))["conditions"]
        assert (condition["type"], condition["reason"]) == ("ReplicaFailure", "FailedCreate")
        (message,) = set(await reports(cluster, "FailedCreate"))
        assert message == f"Error creating: {condition['message']}"
        await cluster.change("replicasets", "web", spec=workload("ReplicaSet", 0, template=template)["spec"])
        assert "conditions" not in await status(cluster, "replicasets")


async def test_two_with_one_selector_keep_to_their_own_pods() -> None:
    async with running("replicaset") as cluster:
        await cluster.create(workload("ReplicaSet", 2))
        await cluster.create(workload("ReplicaSet", 3, "other"))
        assert len(await names(cluster)) == 5


async def test_a_status_that_is_right_is_not_written_again() -> None:
    async with running("replicaset") as cluster:
        await cluster.create(workload("ReplicaSet", 1))
        (name,) = await names(cluster)
        revision = cluster.registry.backend.storage.seen
        await cluster.change("pods", name, metadata={"annotations": {"k": "v"}})
        assert cluster.registry.backend.storage.seen == revision + 1


async def test_many_pods_are_made_at_once_and_none_twice() -> None:
    async with running("replicaset") as cluster:
        await cluster.create(workload("ReplicaSet", 600))
        assert len(await names(cluster)) == 600
