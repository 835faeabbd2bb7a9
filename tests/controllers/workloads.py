"""ReplicaSets and Deployments of pods with the label ``app: web``, and their state."""

from collections.abc import Sequence
from typing import Any

from memkube.apimachinery.model import Document
from memkube.registry.declarations.request_options import ListOptions
from memkube.registry.objects.stored import StoredObject
from tests.controllers.cluster import CONTAINERS, Cluster

TEMPLATE: dict[str, Any] = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": CONTAINERS}}


def workload(kind: str, replicas: int, name: str = "web", **spec: Any) -> Document:
    """Return an object that wants `replicas` pods."""
    selector = {"app": "web"} if kind == "ReplicationController" else {"matchLabels": {"app": "web"}}
    return {
        "apiVersion": "v1" if kind == "ReplicationController" else "apps/v1",
        "kind": kind,
        "metadata": {"name": name},
        "spec": {"replicas": replicas, "selector": selector, "template": TEMPLATE, **spec},
    }


async def listed(cluster: Cluster, plural: str = "pods") -> Sequence[StoredObject]:
    return (await cluster.store(plural).list("default", ListOptions())).items


async def names(cluster: Cluster, plural: str = "pods") -> list[str]:
    return [stored.name for stored in await listed(cluster, plural)]


async def reports(cluster: Cluster, reason: str) -> list[str]:
    """Return the messages of the events with a reason."""
    events = [stored.document for stored in await listed(cluster, "events")]
    return [event["message"] for event in events if event["reason"] == reason]


async def occurrences(cluster: Cluster, reason: str) -> int:
    """Return how often events with a reason occurred."""
    events = [stored.document for stored in await listed(cluster, "events")]
    return sum(event["count"] for event in events if event["reason"] == reason)


async def status(cluster: Cluster, plural: str, name: str = "web") -> dict[str, Any]:
    document = await cluster.get(plural, name)
    assert document is not None
    found: dict[str, Any] = document["status"]
    return found


async def make_ready(cluster: Cluster, *pods: str) -> None:
    """Set the status of pods to running and ready since now."""
    since = cluster.clock.now().strftime("%Y-%m-%dT%H:%M:%SZ")
    ready = {"type": "Ready", "status": "True", "lastTransitionTime": since}
    for name in pods:
        await cluster.change("pods", name, subresource="status", status={"phase": "Running", "conditions": [ready]})
