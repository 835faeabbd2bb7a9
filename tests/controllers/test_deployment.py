from typing import Any

import pytest

from memkube.apimachinery.model import Document
from tests.controllers.cluster import Cluster, owned_by, running
from tests.controllers.workloads import TEMPLATE, listed, make_ready, names, occurrences, reports, status, workload

CONTROLLERS = ("deployment", "replicaset")
RECREATE = {"type": "Recreate"}

pytestmark = pytest.mark.anyio


def other_template(image: str = "nginx:1.28") -> Document:
    return {**TEMPLATE, "spec": {"containers": [{"name": "app", "image": image}]}}


def rolling(unavailable: int | str, surge: int | str) -> Document:
    return {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": unavailable, "maxSurge": surge}}


async def sizes(cluster: Cluster) -> list[int]:
    """Return the desired replicas of the ReplicaSets, by revision."""
    sets = [stored.document for stored in await listed(cluster, "replicasets")]
    sets.sort(key=lambda each: int(each["metadata"]["annotations"]["deployment.kubernetes.io/revision"]))
    return [each["spec"]["replicas"] for each in sets]


async def change(cluster: Cluster, replicas: int, **spec: Any) -> None:
    await cluster.change("deployments", "web", spec=workload("Deployment", replicas, **spec)["spec"])


async def all_ready(cluster: Cluster) -> None:
    """Make pods ready until no pod is pending."""
    while pending := [p.name for p in await listed(cluster) if p.document["status"]["phase"] == "Pending"]:
        await make_ready(cluster, *pending)


async def condition(cluster: Cluster, condition_type: str) -> tuple[str, str]:
    conditions = (await status(cluster, "deployments"))["conditions"]
    found = next(each for each in conditions if each["type"] == condition_type)
    return found["status"], found["reason"]


async def test_a_deployment_has_a_replica_set_for_its_template() -> None:
    async with running(*CONTROLLERS) as cluster:
        owner = await cluster.create(workload("Deployment", 2))
        (replica_set,) = await listed(cluster, "replicasets")
        digest = replica_set.labels["pod-template-hash"]
        assert replica_set.name == f"web-{digest}"
        assert replica_set.document["spec"]["selector"]["matchLabels"] == {"app": "web", "pod-template-hash": digest}
        reference = owned_by(owner, controller=True, blockOwnerDeletion=True)
        assert replica_set.document["metadata"]["ownerReferences"] == [reference]
        assert replica_set.document["metadata"]["annotations"] == {
            "deployment.kubernetes.io/desired-replicas": "2",
            "deployment.kubernetes.io/max-replicas": "3",
            "deployment.kubernetes.io/revision": "1",
        }
        assert len(await names(cluster)) == 2
        text = f"Scaled up replica set {replica_set.name} from 0 to 2"
        assert await reports(cluster, "ScalingReplicaSet") == [text]


async def test_a_deployment_tells_whether_its_pods_are_available() -> None:
    async with running(*CONTROLLERS) as cluster:
        await cluster.create(workload("Deployment", 2))
        assert await condition(cluster, "Available") == ("False", "MinimumReplicasUnavailable")
        assert await condition(cluster, "Progressing") == ("True", "ReplicaSetUpdated")
        await all_ready(cluster)
        assert await condition(cluster, "Available") == ("True", "MinimumReplicasAvailable")
        assert await condition(cluster, "Progressing") == ("True", "NewReplicaSetAvailable")
        found = await status(cluster, "deployments")
        assert (found["replicas"], found["availableReplicas"], found["observedGeneration"]) == (2, 2, 1)


@pytest.mark.parametrize("strategy", [rolling(0, 1), rolling(1, 0), rolling("25%", "25%"), rolling("100%", "100%")])
async def test_pods_of_a_new_template_take_the_place_of_the_old_ones(strategy: Document) -> None:
    async with running(*CONTROLLERS) as cluster:
        await cluster.create(workload("Deployment", 4, strategy=strategy))
        await all_ready(cluster)
        await change(cluster, 4, strategy=strategy, template=other_template())
        await all_ready(cluster)
        assert await sizes(cluster) == [0, 4]
        images = {p.document["spec"]["containers"][0]["image"] for p in await listed(cluster)}
        assert images == {"nginx:1.28"}


async def test_there_are_never_too_many_pods_nor_too_few() -> None:
    async with running(*CONTROLLERS) as cluster:
        strategy = rolling(1, 1)
        await cluster.create(workload("Deployment", 4, strategy=strategy))
        await all_ready(cluster)
        await change(cluster, 4, strategy=strategy, template=other_template())
        while pending := [p.name for p in await listed(cluster) if p.document["status"]["phase"] == "Pending"]:
            pods = await listed(cluster)
            assert len(pods) <= 5
            assert len(pods) - len(pending) >= 3
            await make_ready(cluster, pending[0])
        assert await sizes(cluster) == [0, 4]


async def test_recreate_waits_until_the_old_pods_are_gone() -> None:
    async with running(*CONTROLLERS) as cluster:
        await cluster.create(workload("Deployment", 2, strategy=RECREATE))
        for name in await names(cluster):
            await cluster.change("pods", name, metadata={"finalizers": ["example.com/hold"]})
        old = await names(cluster)
        await change(cluster, 2, strategy=RECREATE, template=other_template())
        assert await names(cluster) == old
        for name in old:
            await cluster.change("pods", name, metadata={"finalizers": []})
        assert len(await names(cluster)) == 2
        assert not set(old) & set(await names(cluster))
        assert await sizes(cluster) == [0, 2]


async def test_going_back_to_a_template_uses_its_replica_set_again() -> None:
    async with running(*CONTROLLERS) as cluster:
        first = workload("Deployment", 1)
        await cluster.create(first)
        (name,) = await names(cluster, "replicasets")
        await change(cluster, 1, template=other_template())
        await change(cluster, 1)
        replica_set = await cluster.get("replicasets", name)
        assert replica_set is not None
        annotations = replica_set["metadata"]["annotations"]
        assert annotations["deployment.kubernetes.io/revision"] == "3"
        assert annotations["deployment.kubernetes.io/revision-history"] == "1"
        assert len(await names(cluster, "replicasets")) == 2


async def test_an_orphan_of_its_template_is_adopted() -> None:
    async with running(*CONTROLLERS) as cluster:
        await cluster.create(workload("Deployment", 2))
        (name,), pods = await names(cluster, "replicasets"), await names(cluster)
        store = cluster.store("replicasets")
        await cluster.change("replicasets", name, metadata={"ownerReferences": []})
        owner = (await store.get("default", name)).document["metadata"]["ownerReferences"][0]
        assert (owner["kind"], owner["name"], owner["controller"]) == ("Deployment", "web", True)
        assert (await names(cluster, "replicasets"), await names(cluster)) == ([name], pods)


async def test_a_replica_set_that_another_scales_is_set_back() -> None:
    async with running(*CONTROLLERS) as cluster:
        await cluster.create(workload("Deployment", 2))
        (replica_set,) = await listed(cluster, "replicasets")
        await cluster.change("replicasets", replica_set.name, spec={**replica_set.document["spec"], "replicas": 5})
        assert await sizes(cluster) == [2]
        assert len(await names(cluster)) == 2


async def test_only_so_many_old_replica_sets_are_kept() -> None:
    async with running(*CONTROLLERS) as cluster:
        await cluster.create(workload("Deployment", 1, revisionHistoryLimit=1))
        for version in ("1.28", "1.29", "1.30"):
            await all_ready(cluster)
            await change(cluster, 1, revisionHistoryLimit=1, template=other_template(f"nginx:{version}"))
        await all_ready(cluster)
        assert await sizes(cluster) == [0, 1]


async def test_scaling_in_the_midst_of_an_update_keeps_the_proportions() -> None:
    async with running(*CONTROLLERS) as cluster:
        strategy = rolling(2, 3)
        await cluster.create(workload("Deployment", 10, strategy=strategy))
        await all_ready(cluster)
        await change(cluster, 10, strategy=strategy, template=other_template())
        assert await sizes(cluster) == [8, 5]
        await change(cluster, 15, strategy=strategy, template=other_template())
        assert await sizes(cluster) == [11, 7]


async def set_available(cluster: Cluster, replica_set: str, count: int) -> None:
    counts = {"replicas": count, "readyReplicas": count, "availableReplicas": count}
    await cluster.change("replicasets", replica_set, subresource="status", status=counts)


async def test_pods_that_are_gone_are_not_taken_for_available_ones() -> None:
    async with running("deployment") as cluster:
        await cluster.create(workload("Deployment", 10, strategy=rolling(2, 3)))
        (old,) = await names(cluster, "replicasets")
        await set_available(cluster, old, 10)
        await change(cluster, 10, strategy=rolling(2, 3), template=other_template())
        await set_available(cluster, old, 8)
        assert await sizes(cluster) == [8, 5]
        await change(cluster, 4, strategy=rolling(2, 3), template=other_template())
        assert await sizes(cluster) == [4, 3]
        await set_available(cluster, old, 4)
        assert await sizes(cluster) == [2, 4]


async def test_a_paused_deployment_is_scaled_and_not_updated() -> None:
    async with running(*CONTROLLERS) as cluster:
        await cluster.create(workload("Deployment", 1))
        await change(cluster, 3, paused=True, template=other_template())
        assert await sizes(cluster) == [3]
        assert await condition(cluster, "Progressing") == ("Unknown", "DeploymentPaused")
        await change(cluster, 3, template=other_template())
        assert len(await sizes(cluster)) == 2


async def test_an_update_without_progress_is_reported_in_time() -> None:
    async with running(*CONTROLLERS) as cluster:
        await cluster.create(workload("Deployment", 1, progressDeadlineSeconds=60))
        await cluster.clock.advance(59)
        assert await condition(cluster, "Progressing") == ("True", "ReplicaSetUpdated")
        await cluster.clock.advance(3)
        assert await condition(cluster, "Progressing") == ("False", "ProgressDeadlineExceeded")
        await all_ready(cluster)
        assert await condition(cluster, "Progressing") == ("True", "NewReplicaSetAvailable")


async def test_a_replica_set_of_its_name_that_is_anothers_changes_the_name() -> None:
    async with running(*CONTROLLERS) as cluster:
        await cluster.create(workload("Deployment", 1))
        (taken,) = await names(cluster, "replicasets")
    async with running(*CONTROLLERS) as cluster:
        template = {**TEMPLATE, "metadata": {"labels": {"app": "other"}}}
        foreign = workload("ReplicaSet", 0, taken, selector={"matchLabels": {"app": "other"}}, template=template)
        await cluster.create(foreign)
        await cluster.create(workload("Deployment", 1))
        await cluster.clock.advance(1)
        assert len(await names(cluster, "replicasets")) == 2
        assert (await status(cluster, "deployments"))["collisionCount"] == 1
        assert len(await names(cluster)) == 1


async def test_its_own_replica_set_is_its_own_before_it_has_seen_it(caplog: pytest.LogCaptureFixture) -> None:
    async with running(*CONTROLLERS) as cluster:
        await cluster.create(workload("Deployment", 1))
        await all_ready(cluster)
        assert await condition(cluster, "Progressing") == ("True", "NewReplicaSetAvailable")
    assert [record.getMessage() for record in caplog.records] == []


async def test_a_budget_counts_what_a_deployment_wants() -> None:
    async with running(*CONTROLLERS, "disruption") as cluster:
        await cluster.create(workload("Deployment", 4))
        await all_ready(cluster)
        spec = {"selector": {"matchLabels": {"app": "web"}}, "maxUnavailable": "50%"}
        budget = {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "web"}, "spec": spec}
        await cluster.create(budget)
        found = await status(cluster, "poddisruptionbudgets")
        assert (found["expectedPods"], found["desiredHealthy"], found["disruptionsAllowed"]) == (4, 2, 2)


async def test_a_refused_replica_set_is_given_up_after_fifteen_retries() -> None:
    async with running(*CONTROLLERS, "resourcequota") as cluster:
        quota = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "none"}}
        await cluster.create({**quota, "spec": {"hard": {"count/replicasets.apps": "0"}}})
        await cluster.create(workload("Deployment", 1))
        await cluster.clock.advance(170)
        attempts = await occurrences(cluster, "ReplicaSetCreateError")
        await cluster.clock.advance(2000)
        assert await occurrences(cluster, "ReplicaSetCreateError") == attempts == 16
