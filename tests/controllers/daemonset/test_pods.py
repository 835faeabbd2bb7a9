import pytest

from tests.controllers.cluster import running
from tests.controllers.daemonset.daemon_sets import (
    CONTROLLER,
    REVISION,
    add_node,
    add_nodes,
    daemon_set,
    placed,
    pod_on,
    rolling,
    serve,
)
from tests.controllers.workloads import listed, make_ready, names, reports, status

pytestmark = pytest.mark.anyio


async def test_pods_have_the_generation_and_the_revision_of_their_template() -> None:
    async with running(CONTROLLER) as cluster:
        await add_node(cluster, "n1")
        await cluster.create(daemon_set())
        [pod], [revision] = await listed(cluster), await listed(cluster, "controllerrevisions")
        digest = revision.labels[REVISION]
        assert revision.name == f"web-{digest}"
        assert pod.labels == {"app": "web", "version": "1", "pod-template-generation": "1", REVISION: digest}


async def test_the_status_counts_nodes_with_ready_and_available_pods() -> None:
    async with running(CONTROLLER) as cluster:
        await add_nodes(cluster, 3)
        await cluster.create(daemon_set(minReadySeconds=5))
        await make_ready(cluster, await pod_on(cluster, "n1"))
        found = await status(cluster, "daemonsets")
        assert (found["desiredNumberScheduled"], found["currentNumberScheduled"]) == (3, 3)
        assert (found["numberReady"], found["numberUnavailable"], found["updatedNumberScheduled"]) == (1, 3, 3)
        await cluster.clock.advance(5)
        found = await status(cluster, "daemonsets")
        assert (found["numberAvailable"], found["numberUnavailable"], found["observedGeneration"]) == (1, 2, 1)


@pytest.mark.parametrize(
    ("phase", "reason", "message"),
    [
        ("Failed", "FailedDaemonPod", "Found failed daemon pod default/{} on node n1, will try to kill it"),
        ("Succeeded", "SucceededDaemonPod", "Found succeeded daemon pod default/{} on node n1, will try to delete it"),
    ],
)
async def test_an_ended_pod_is_replaced_with_an_event(phase: str, reason: str, message: str) -> None:
    async with running(CONTROLLER) as cluster:
        await serve(cluster, 1)
        [old] = await names(cluster)
        await cluster.change("pods", old, subresource="status", status={"phase": phase})
        [new] = await names(cluster)
        assert new != old
        assert await reports(cluster, reason) == [message.format(old)]


async def test_deletions_of_failed_pods_back_off_from_one_second() -> None:
    async with running(CONTROLLER) as cluster:
        await serve(cluster, 1)
        waits = []
        for _ in range(4):
            [failed] = await names(cluster)
            begun = cluster.clock.now()
            await cluster.change("pods", failed, subresource="status", status={"phase": "Failed"})
            while await names(cluster) == [failed]:
                await cluster.clock.advance(1)
            waits.append((cluster.clock.now() - begun).total_seconds())
        assert waits == [0, 1, 2, 4]


async def test_of_several_pods_on_a_node_the_oldest_stays() -> None:
    async with running(CONTROLLER) as cluster:
        await serve(cluster, 1)
        [old] = await names(cluster)
        document = await cluster.get("pods", old)
        assert document is not None
        await cluster.clock.advance(1)
        kept = {name: document["metadata"][name] for name in ("labels", "ownerReferences")}
        await cluster.create({**document, "metadata": {"name": "another", **kept}})
        assert await names(cluster) == [old]


async def test_a_pod_that_loses_its_label_is_released_and_replaced() -> None:
    async with running(CONTROLLER) as cluster:
        await serve(cluster, 1)
        [old] = await names(cluster)
        await cluster.change("pods", old, metadata={"labels": {"app": "other"}})
        owners = {pod.name: pod.document["metadata"].get("ownerReferences") for pod in await listed(cluster)}
        assert owners.pop(old) is None
        assert len(owners) == 1


async def test_orphans_are_adopted() -> None:
    async with running(CONTROLLER, "garbage-collector-controller") as cluster:
        await serve(cluster, 2)
        before = await names(cluster)
        await cluster.delete("daemonsets", "web", "Orphan")
        await cluster.create(daemon_set())
        assert await names(cluster) == before
        owner = await cluster.get("daemonsets", "web")
        assert owner is not None
        references = [pod.document["metadata"]["ownerReferences"][0]["uid"] for pod in await listed(cluster)]
        assert references == [owner["metadata"]["uid"]] * 2


async def test_a_pod_that_is_being_deleted_keeps_its_node_busy_unless_pods_surge() -> None:
    finalizer = {"finalizers": ["example.com/wait"]}
    for strategy, expected in ((rolling(), 1), (rolling(0, 1), 2)):
        async with running(CONTROLLER) as cluster:
            await serve(cluster, 1, updateStrategy=strategy)
            [old] = await names(cluster)
            await cluster.change("pods", old, metadata=finalizer)
            await cluster.delete("pods", old)
            assert len(await names(cluster)) == expected


async def test_pods_that_cannot_be_created_are_reported_and_tried_again() -> None:
    async with running(CONTROLLER) as cluster:
        await add_nodes(cluster, 3)
        document = daemon_set()
        document["spec"]["template"]["spec"]["priorityClassName"] = "missing"
        await cluster.create(document)
        [message] = await reports(cluster, "FailedCreate")
        assert message == 'Error creating: pods "web-" is forbidden: no PriorityClass with name missing was found'
        priority = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "value": 1}
        await cluster.create({**priority, "metadata": {"name": "missing"}})
        await cluster.clock.advance(60)
        assert await placed(cluster) == ["n1", "n2", "n3"]


async def test_a_terminating_daemon_set_leaves_its_pods_alone() -> None:
    async with running(CONTROLLER) as cluster:
        await serve(cluster, 1)
        await cluster.change("daemonsets", "web", metadata={"finalizers": ["example.com/wait"]})
        await cluster.delete("daemonsets", "web")
        [old] = await names(cluster)
        await cluster.delete("pods", old)
        assert await names(cluster) == []
