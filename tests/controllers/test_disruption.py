from typing import Any

import pytest

from memkube.apimachinery.model import Document
from memkube.registry.declarations.request_options import ListOptions
from tests.controllers.cluster import READY, Cluster, owned_by, pod, running
from tests.controllers.workloads import workload

WIDGET = {"apiVersion": "v1", "kind": "Widget", "name": "w", "uid": "u", "controller": True}
NOT_READY = {"phase": "Running", "conditions": [{"type": "Ready", "status": "False"}]}

pytestmark = pytest.mark.anyio


def budget(name: str = "web", selector: Document | None = None, **spec: Any) -> Document:
    spec["selector"] = {"matchLabels": {"app": "web"}} if selector is None else selector
    return {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": name}, "spec": spec}


async def status(cluster: Cluster, name: str = "web") -> dict[str, Any]:
    document = await cluster.get("poddisruptionbudgets", name)
    assert document is not None
    found: dict[str, Any] = document["status"]
    return found


async def numbers(cluster: Cluster) -> tuple[int, ...]:
    """Return the numbers of expected, desired healthy and healthy pods, and of allowed disruptions."""
    found = await status(cluster)
    names = ("expectedPods", "desiredHealthy", "currentHealthy", "disruptionsAllowed")
    return tuple(found[name] for name in names)


async def make_pods(cluster: Cluster, *statuses: Document | None, **metadata: Any) -> None:
    for number, each in enumerate(statuses):
        await cluster.create(pod(f"p{number}", each, **metadata))


async def make_owner(cluster: Cluster, kind: str, replicas: int, **metadata: Any) -> Document:
    """Create an owner with this number of replicas, and return a reference to it."""
    document = workload(kind, replicas, "w")
    owner = await cluster.create({**document, "metadata": {**document["metadata"], **metadata}})
    return owned_by(owner, controller=True)


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({"minAvailable": 1}, (3, 1, 2, 1)),
        ({"minAvailable": 2}, (3, 2, 2, 0)),
        ({"minAvailable": 5}, (3, 5, 2, 0)),
        ({"minAvailable": "50%"}, (0, 0, 2, 0)),
        ({"maxUnavailable": 1}, (0, 0, 2, 0)),
        ({}, (0, 0, 2, 0)),
    ],
)
async def test_bare_pods_are_counted_only_for_numbers_that_must_stay(spec: Document, expected: tuple[int, ...]) -> None:
    async with running("disruption") as cluster:
        await make_pods(cluster, READY, READY, NOT_READY)
        await cluster.create(budget(**spec))
        assert await numbers(cluster) == expected


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({"minAvailable": "50%"}, (3, 2, 2, 0)),
        ({"minAvailable": "30%"}, (3, 1, 2, 1)),
        ({"maxUnavailable": 1}, (3, 2, 2, 0)),
        ({"maxUnavailable": "40%"}, (3, 1, 2, 1)),
        ({"maxUnavailable": 9}, (3, 0, 2, 2)),
    ],
)
@pytest.mark.parametrize("kind", ["ReplicaSet", "StatefulSet", "ReplicationController"])
async def test_pods_of_a_controller_are_expected_by_its_scale(
    kind: str, spec: Document, expected: tuple[int, ...]
) -> None:
    async with running("disruption") as cluster:
        owner = await make_owner(cluster, kind, 3)
        await make_pods(cluster, READY, READY, ownerReferences=[owner])
        await cluster.create(budget(**spec))
        assert await numbers(cluster) == expected


async def test_the_scale_of_a_deployment_counts_before_that_of_its_replica_set() -> None:
    async with running("disruption") as cluster:
        deployment = await make_owner(cluster, "Deployment", 5)
        owner = await make_owner(cluster, "ReplicaSet", 2, ownerReferences=[deployment])
        await make_pods(cluster, READY, ownerReferences=[owner])
        await cluster.create(budget(maxUnavailable=1))
        assert await numbers(cluster) == (5, 4, 1, 0)


@pytest.mark.parametrize(
    ("reference", "message"),
    [
        ({"apiVersion": "example.com/v1"}, 'no matches for kind "Widget" in version "example.com/v1"'),
        ({"kind": "ConfigMap"}, "configmaps does not implement the scale subresource"),
        ({"apiVersion": "apps/v1", "kind": "ReplicaSet"}, 'found no controllers for pod "p0"'),
    ],
)
async def test_a_budget_that_cannot_be_counted_says_why(reference: dict[str, str], message: str) -> None:
    async with running("disruption") as cluster:
        await make_pods(cluster, READY, ownerReferences=[{**WIDGET, **reference}])
        await cluster.create(budget(maxUnavailable=1))
        found = await status(cluster)
        assert "observedGeneration" not in found
        assert [(c["reason"], c["message"]) for c in found["conditions"]] == [("SyncFailed", message)]


async def test_the_condition_changes_with_what_is_allowed() -> None:
    async with running("disruption") as cluster:
        await make_pods(cluster, READY, NOT_READY)
        await cluster.create(budget(minAvailable=1))
        before = (await status(cluster))["conditions"][0]
        await cluster.clock.advance(10)
        await cluster.change("pods", "p1", subresource="status", status={**READY, "qosClass": "BestEffort"})
        after = (await status(cluster))["conditions"][0]
        assert (before["status"], before["reason"]) == ("False", "InsufficientPods")
        assert (after["status"], after["reason"]) == ("True", "SufficientPods")
        assert before["lastTransitionTime"] != after["lastTransitionTime"]


async def test_a_terminating_pod_is_expected_but_not_healthy() -> None:
    async with running("disruption") as cluster:
        await make_pods(cluster, READY, READY, finalizers=["example.com/hold"])
        await cluster.create(budget(minAvailable=1))
        await cluster.delete("pods", "p0")
        assert await numbers(cluster) == (2, 1, 1, 0)


async def test_a_pod_that_loses_its_label_is_not_recounted_by_its_budget() -> None:
    async with running("disruption") as cluster:
        await make_pods(cluster, READY, READY)
        await cluster.create(budget(minAvailable=1))
        await cluster.change("pods", "p0", metadata={"labels": {}})
        assert await numbers(cluster) == (2, 1, 2, 1)


async def test_an_empty_selector_selects_every_pod_of_the_namespace() -> None:
    async with running("disruption") as cluster:
        await make_pods(cluster, READY, READY, labels={})
        await cluster.create(budget(selector={}, minAvailable=1))
        assert await numbers(cluster) == (2, 1, 2, 1)


async def test_an_evicted_pod_is_not_healthy_for_two_minutes() -> None:
    async with running("disruption") as cluster:
        await make_pods(cluster, READY, READY)
        await cluster.create(budget(minAvailable=0))
        written = {"disruptedPods": {"p0": "2026-01-01T00:00:00Z", "gone": "2099-01-01T00:00:00Z"}}
        written["disruptedPods"]["p1"] = cluster.clock.now().isoformat().replace("+00:00", "Z")
        await cluster.change(
            "poddisruptionbudgets", "web", subresource="status", status={**await status(cluster), **written}
        )
        assert list((await status(cluster))["disruptedPods"]) == ["p1"]
        await cluster.clock.advance(119)
        assert await numbers(cluster) == (2, 0, 1, 1)
        await cluster.clock.advance(1)
        assert await numbers(cluster) == (2, 0, 2, 2)
        assert "disruptedPods" not in await status(cluster)


async def test_a_status_that_another_wrote_is_set_right_and_his_conditions_stay() -> None:
    async with running("disruption") as cluster:
        await make_pods(cluster, READY)
        await cluster.create(budget(minAvailable=0))
        mine = {
            "type": "Mine",
            "status": "True",
            "reason": "R",
            "message": "m",
            "lastTransitionTime": "2026-01-02T03:04:05Z",
        }
        found = {**await status(cluster), "disruptionsAllowed": 9, "conditions": [mine]}
        await cluster.change("poddisruptionbudgets", "web", subresource="status", status=found)
        assert await numbers(cluster) == (1, 0, 1, 1)
        assert [c["type"] for c in (await status(cluster))["conditions"]] == ["Mine", "DisruptionAllowed"]


async def test_a_status_that_is_right_is_not_written_again() -> None:
    async with running("disruption") as cluster:
        await make_pods(cluster, READY)
        await cluster.create(budget(minAvailable=0))
        revision = cluster.registry.backend.storage.seen
        await cluster.change("pods", "p0", metadata={"annotations": {"k": "v"}})
        assert cluster.registry.backend.storage.seen == revision + 1


async def test_bare_pods_under_a_percentage_are_reported() -> None:
    async with running("disruption") as cluster:
        await make_pods(cluster, READY)
        await cluster.create(budget(minAvailable="50%"))
        listed = await cluster.registry.find("", "v1", "events").list("default", ListOptions())
        (event,) = (stored.document for stored in listed.items)
        assert event["reason"] == "UnmanagedPods"
        assert "(selector: &LabelSelector{MatchLabels:map[string]string{app: web,}," in event["message"]


async def events(cluster: Cluster) -> list[Document]:
    listed = await cluster.registry.find("", "v1", "events").list("default", ListOptions())
    return [stored.document for stored in listed.items]


async def test_a_pod_that_should_be_gone_is_reported() -> None:
    async with running("disruption") as cluster:
        await make_pods(cluster, READY)
        await cluster.create(budget(minAvailable=0))
        written = {**await status(cluster), "disruptedPods": {"p0": "2026-01-01T00:00:00Z"}}
        await cluster.change("poddisruptionbudgets", "web", subresource="status", status=written)
        (event,) = await events(cluster)
        assert (event["reason"], event["involvedObject"]["name"]) == ("NotDeleted", "p0")
        assert event["message"] == "Pod was expected by PDB default/default to be deleted but it wasn't"


async def test_a_pod_of_several_budgets_is_reported() -> None:
    async with running("disruption") as cluster:
        for name in ("web", "api"):
            await cluster.create(budget(name, minAvailable=1))
        await make_pods(cluster, None)
        (event,) = [event for event in await events(cluster) if event["involvedObject"]["kind"] == "Pod"]
        text = 'Pod "default"/"p0" matches multiple PodDisruptionBudgets.  Chose "web" arbitrarily.'
        assert (event["reason"], event["message"]) == ("MultiplePodDisruptionBudgets", text)


async def test_a_condition_of_another_generation_is_set_right() -> None:
    async with running("disruption") as cluster:
        await make_pods(cluster, READY)
        await cluster.create(budget(minAvailable=0))
        found = await status(cluster)
        (condition,) = found["conditions"]
        written = {**found, "conditions": [{**condition, "observedGeneration": 7}]}
        await cluster.change("poddisruptionbudgets", "web", subresource="status", status=written)
        assert (await status(cluster))["conditions"][0]["observedGeneration"] == 1


async def test_the_status_belongs_to_the_controller_manager() -> None:
    async with running("disruption") as cluster:
        await cluster.create(budget(minAvailable=1))
        document = await cluster.get("poddisruptionbudgets", "web")
        assert document is not None
        managers = {entry["manager"]: entry.get("subresource") for entry in document["metadata"]["managedFields"]}
        assert managers == {"user": None, "kube-controller-manager": "status"}


async def test_a_pod_that_was_to_go_and_stays_loses_its_condition_after_two_minutes() -> None:
    async with running("disruption") as cluster:
        now = cluster.clock.now().isoformat().replace("+00:00", "Z")
        target = {
            "type": "DisruptionTarget",
            "status": "True",
            "reason": "R",
            "message": "m",
            "lastTransitionTime": now,
        }
        await make_pods(cluster, {"phase": "Running", "conditions": [target]})
        await cluster.clock.advance(119)
        before = await cluster.get("pods", "p0")
        await cluster.clock.advance(1)
        after = await cluster.get("pods", "p0")
        assert before is not None
        assert after is not None
        assert before["status"]["conditions"][0]["status"] == "True"
        assert after["status"]["conditions"][0]["status"] == "False"
        assert "reason" not in after["status"]["conditions"][0]
