import pytest

from memkube.apimachinery.errors import ApiError
from memkube.apis.policy.v1.evictions.eviction import Eviction
from memkube.controllers.framework.runtime import Runtime
from tests.controllers.cluster import Cluster, running
from tests.controllers.workloads import make_ready, names, status, workload

CONTROLLERS = ("deployment", "replicaset", "disruption")
BUDGET = {
    "apiVersion": "policy/v1",
    "kind": "PodDisruptionBudget",
    "metadata": {"name": "web"},
    "spec": {"selector": {"matchLabels": {"app": "web"}}, "maxUnavailable": 1},
}

pytestmark = pytest.mark.anyio


async def evict(cluster: Cluster, pod: str) -> int:
    """Evict a pod, and return the status code."""
    eviction = Eviction()
    eviction.metadata.name, eviction.metadata.namespace = pod, "default"
    client = Runtime(cluster.parts).client
    try:
        await client.post(cluster.store("pods").resource, "eviction", eviction, "default")
    except ApiError as error:
        return error.code
    finally:
        await cluster.settle()
    return 201


async def test_a_deployment_is_drained_one_pod_after_the_other() -> None:
    async with running(*CONTROLLERS) as cluster:
        await cluster.create(workload("Deployment", 3))
        await make_ready(cluster, *await names(cluster))
        await cluster.create(BUDGET)
        old = await names(cluster)
        assert await evict(cluster, old[0]) == 201
        (new,) = set(await names(cluster)) - set(old)
        assert await evict(cluster, old[1]) == 429
        await make_ready(cluster, new)
        assert (await status(cluster, "poddisruptionbudgets"))["disruptionsAllowed"] == 1
        assert await evict(cluster, old[1]) == 201


async def test_a_budget_follows_a_deployment_that_is_scaled() -> None:
    async with running(*CONTROLLERS) as cluster:
        await cluster.create(workload("Deployment", 2))
        await cluster.create(BUDGET)
        await cluster.change("deployments", "web", spec=workload("Deployment", 4)["spec"])
        await make_ready(cluster, *await names(cluster))
        found = await status(cluster, "poddisruptionbudgets")
        assert (found["expectedPods"], found["desiredHealthy"], found["currentHealthy"]) == (4, 3, 4)


async def test_a_budget_expects_the_pods_that_a_stateful_set_has_not_made_yet() -> None:
    async with running("statefulset", "disruption") as cluster:
        await cluster.create(workload("StatefulSet", 4))
        await cluster.create(BUDGET)
        await make_ready(cluster, "web-0")
        found = await status(cluster, "poddisruptionbudgets")
        assert (found["expectedPods"], found["desiredHealthy"], found["currentHealthy"]) == (4, 3, 1)


async def test_an_evicted_pod_of_a_stateful_set_comes_back_under_its_name() -> None:
    async with running("statefulset", "disruption") as cluster:
        await cluster.create(workload("StatefulSet", 2, podManagementPolicy="Parallel"))
        await make_ready(cluster, "web-0", "web-1")
        await cluster.create(BUDGET)
        assert await evict(cluster, "web-0") == 201
        assert await names(cluster) == ["web-0", "web-1"]
        assert await evict(cluster, "web-1") == 429
        await make_ready(cluster, "web-0")
        assert await evict(cluster, "web-1") == 201
