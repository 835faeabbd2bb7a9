"""When the scheduler tries unschedulable pods again."""

import pytest

from memkube.apimachinery.meta.v1.delete_options import DeleteOptions
from memkube.apimachinery.model import Document
from memkube.registry.declarations.request_options import WriteContext
from tests.controllers.cluster import Cluster
from tests.controllers.scheduler.scheduling import (
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
HALF = {"cpu": "2"}
NOW = DeleteOptions(gracePeriodSeconds=0)
FOUR_CPUS = {"cpu": "4"}


async def attempts(cluster: Cluster) -> int:
    """Return the number of attempts to schedule pods, of which the first three are told apart."""
    return sum(event.get("series", {"count": 1})["count"] for event in await events(cluster, "FailedScheduling"))


def with_host_port(name: str, port: int) -> Document:
    containers = [{"name": "app", "image": "nginx:1.27", "ports": [{"containerPort": port, "hostPort": port}]}]
    return pod(name, containers=containers)


async def finish(cluster: Cluster, name: str) -> None:
    await cluster.change("pods", name, subresource="status", status={"phase": "Succeeded"})


async def test_when_a_pod_is_deleted() -> None:
    async with scheduling(node("a")) as cluster:
        await place(cluster, pod("old", requests=FOUR_CPUS, terminationGracePeriodSeconds=0))
        assert await place(cluster, pod("new", requests=FOUR_CPUS)) is None
        await cluster.delete("pods", "old")
        assert await node_of(cluster, "new") == "a"


async def test_when_a_pod_ends() -> None:
    async with scheduling(node("a")) as cluster:
        await place(cluster, pod("old", requests=FOUR_CPUS))
        assert await place(cluster, pod("new", requests=FOUR_CPUS)) is None
        await finish(cluster, "old")
        assert await node_of(cluster, "new") == "a"


async def test_a_pod_that_still_fits_nowhere_is_not_written_again() -> None:
    async with scheduling(node("a")) as cluster:
        for name in ("one", "two"):
            await place(cluster, pod(name, requests=HALF))
        await place(cluster, pod("large", requests={"cpu": "3"}))
        before = await cluster.get("pods", "large")
        await cluster.change("nodes", "a", metadata={"labels": {"zone": "z"}})
        await cluster.clock.advance(360)
        assert await attempts(cluster) > 1
        assert await cluster.get("pods", "large") == before


async def test_even_if_the_deletion_of_a_pod_frees_too_little() -> None:
    async with scheduling(node("a", pods="2")) as cluster:
        for name in ("one", "two"):
            await place(cluster, pod(name, requests=HALF))
        await place(cluster, pod("large", requests=FOUR_CPUS))
        assert await refusal(cluster, "large") == "0/1 nodes are available: 1 Insufficient cpu, 1 Too many pods."
        await finish(cluster, "one")
        assert await refusal(cluster, "large") == "0/1 nodes are available: 1 Insufficient cpu."


async def test_not_when_a_node_is_added_that_is_too_small() -> None:
    async with scheduling(node("a")) as cluster:
        await cluster.create(pod("large", requests={"cpu": "5"}))
        await cluster.create(node("b"))
        assert await attempts(cluster) == 1


async def test_not_when_a_resource_grows_that_the_pod_does_not_request() -> None:
    async with scheduling(node("a")) as cluster:
        await place(cluster, pod("old", requests=FOUR_CPUS))
        await cluster.create(pod("large", requests=FOUR_CPUS))
        await cluster.change("nodes", "a", subresource="status", status=node("a", memory="9Gi")["status"])
        assert await attempts(cluster) == 1


async def test_not_when_a_tainted_node_is_added() -> None:
    taints = {"taints": [{"key": "gpu", "effect": "NoSchedule"}]}
    async with scheduling(node("a", spec=taints)) as cluster:
        await cluster.create(pod("web"))
        await cluster.create(node("b", spec=taints))
        assert await attempts(cluster) == 1


async def test_when_the_taints_of_a_node_change_that_is_full() -> None:
    async with scheduling(node("a")) as cluster:
        await cluster.create(pod("large", requests={"cpu": "5"}))
        await cluster.change("nodes", "a", spec={"taints": [{"key": "gpu", "effect": "NoSchedule"}]})
        assert await refusal(cluster, "large") == "0/1 nodes are available: 1 node(s) had untolerated taint(s)."


async def test_not_when_a_node_is_added_that_the_node_selector_excludes() -> None:
    async with scheduling(node("a")) as cluster:
        await cluster.create(pod("web", nodeSelector={"disk": "ssd"}))
        await cluster.create(node("b", labels={"disk": "hdd"}))
        assert await attempts(cluster) == 1


async def test_not_when_a_pod_with_another_host_port_is_deleted() -> None:
    async with scheduling(node("a")) as cluster:
        for name, port in (("one", 80), ("two", 81)):
            await place(cluster, with_host_port(name, port))
        await cluster.create(with_host_port("new", 80))
        await finish(cluster, "two")
        assert await attempts(cluster) == 1
        await finish(cluster, "one")
        assert await node_of(cluster, "new") == "a"


async def test_not_when_a_neighbour_is_deleted_that_one_of_two_anti_affinity_terms_selects() -> None:
    terms = [
        {"labelSelector": {"matchLabels": {label: "x"}}, "topologyKey": "kubernetes.io/hostname"}
        for label in ("a", "b")
    ]
    affinity = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": terms}}
    async with scheduling(node("a")) as cluster:
        await place(cluster, pod("old", labels={"a": "x"}))
        await cluster.create(pod("new", affinity=affinity))
        await finish(cluster, "old")
        assert await attempts(cluster) == 1


async def test_not_when_a_pod_is_added_that_the_spread_constraint_does_not_count() -> None:
    constraint = {
        "maxSkew": 1,
        "topologyKey": "zone",
        "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": {"matchLabels": {"app": "web"}},
    }
    async with scheduling(node("a")) as cluster:
        await cluster.create(pod("new", topologySpreadConstraints=[constraint]))
        await place(cluster, pod("other", labels={"app": "db"}))
        assert await attempts(cluster) == 1
        await place(cluster, pod("like", labels={"app": "web"}))
        assert await attempts(cluster) == 2


async def test_the_most_important_of_the_pods_whose_back_off_ends_in_the_same_second_is_first() -> None:
    async with scheduling(node("a", cpu="1")) as cluster:
        await cluster.create(pod("minor", requests=FOUR_CPUS))
        await cluster.clock.advance(0.5)
        await cluster.create(pod("major", requests=FOUR_CPUS, priorityClassName="system-cluster-critical"))
        await cluster.change("nodes", "a", subresource="status", status=node("a")["status"])
        assert await node_of(cluster, "major") == "a"


async def test_when_a_node_grows() -> None:
    async with scheduling(node("a")) as cluster:
        assert await place(cluster, pod("web", requests={"cpu": "5"})) is None
        larger = node("a", cpu="6")["status"]
        await cluster.change("nodes", "a", subresource="status", status=larger)
        assert await node_of(cluster, "web") == "a"


async def test_when_a_node_is_labelled() -> None:
    async with scheduling(node("a")) as cluster:
        assert await place(cluster, pod("web", nodeSelector={"disk": "ssd"})) is None
        await cluster.change("nodes", "a", metadata={"labels": {"disk": "ssd"}})
        assert await node_of(cluster, "web") == "a"


async def test_when_a_taint_is_taken_away() -> None:
    tainted = node("a", spec={"taints": [{"key": "gpu", "effect": "NoSchedule"}]})
    async with scheduling(tainted) as cluster:
        assert await place(cluster, pod("web")) is None
        await cluster.change("nodes", "a", spec={})
        assert await node_of(cluster, "web") == "a"


async def test_when_a_node_takes_pods_again() -> None:
    async with scheduling(node("a", spec={"unschedulable": True})) as cluster:
        assert await place(cluster, pod("web")) is None
        await cluster.change("nodes", "a", spec={})
        assert await node_of(cluster, "web") == "a"


async def test_when_the_pod_tolerates_more() -> None:
    tainted = node("a", spec={"taints": [{"key": "gpu", "effect": "NoSchedule"}]})
    async with scheduling(tainted) as cluster:
        stored = await cluster.create(pod("web"))
        spec = stored.document["spec"]
        tolerations = [*spec["tolerations"], {"key": "gpu", "operator": "Exists"}]
        await cluster.change("pods", "web", spec={**spec, "tolerations": tolerations})
        assert await node_of(cluster, "web") == "a"


async def test_a_condition_with_the_same_reasons_keeps_the_generation_of_the_pod() -> None:
    async with scheduling(node("a", spec={"taints": [{"key": "gpu", "effect": "NoSchedule"}]})) as cluster:
        stored = await cluster.create(pod("web"))
        spec = stored.document["spec"]
        tolerations = [*spec["tolerations"], {"key": "other", "operator": "Exists"}]
        await cluster.change("pods", "web", spec={**spec, "tolerations": tolerations})
        assert await attempts(cluster) == 2
        assert (await scheduled_condition(cluster, "web"))["observedGeneration"] == 1


async def test_not_when_something_else_changes() -> None:
    async with scheduling(node("a")) as cluster:
        await cluster.create(pod("web", requests={"cpu": "5"}))
        await cluster.change("pods", "web", metadata={"annotations": {"note": "x"}})
        await cluster.change("nodes", "a", metadata={"labels": {"disk": "ssd"}})
        await cluster.clock.advance(30)
        assert await attempts(cluster) == 1


async def test_after_five_minutes_in_any_case() -> None:
    async with scheduling(node("a")) as cluster:
        await cluster.create(pod("web", requests={"cpu": "5"}))
        await cluster.clock.advance(299)
        assert await attempts(cluster) == 1
        await cluster.clock.advance(2)
        assert await attempts(cluster) == 2


async def test_pods_that_were_tried_not_long_ago_let_others_go_first() -> None:
    async with scheduling(node("a")) as cluster:
        await place(cluster, pod("old", requests=FOUR_CPUS))
        await place(cluster, pod("tried", requests=FOUR_CPUS))
        await cluster.store("pods").delete("old", NOW, WriteContext(namespace="default"))
        new = cluster.store("pods").resource.model.from_document(pod("new", requests=FOUR_CPUS))
        cluster.store("pods").resource.strategy.default(new)
        await cluster.store("pods").create(new, WriteContext(namespace="default"))
        await cluster.settle()
        assert await node_of(cluster, "new") == "a"
        assert await node_of(cluster, "tried") is None
