import pytest

from memkube.apimachinery.errors import ApiError
from memkube.apis.policy.v1.evictions.types import Eviction
from memkube.controllers.runtime import Runtime
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
    """The HTTP code of an eviction."""
    eviction = Eviction()
    eviction.metadata.name, eviction.metadata.namespace = pod, "default"
    client = Runtime(cluster.registry).client
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
