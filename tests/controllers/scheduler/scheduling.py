"""Nodes and pods for tests of the scheduler."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from memkube.apimachinery.model import Document
from memkube.registry.declarations.request_options import ListOptions
from tests.controllers.cluster import Cluster, running

ALLOCATABLE = {"cpu": "4", "memory": "8Gi", "ephemeral-storage": "100Gi", "pods": "110"}


@asynccontextmanager
async def scheduling(*nodes: Document, **settings: Any) -> AsyncIterator[Cluster]:
    """Run a cluster with these nodes and the scheduler during the block."""
    async with running("scheduler", **settings) as cluster:
        for node in nodes:
            await add_node(cluster, node)
        yield cluster


def node(name: str, *, labels: Document | None = None, spec: Document | None = None, **allocatable: str) -> Document:
    """Return a node whose host name is its name. Resource names have underscores instead of dashes."""
    amounts = {**ALLOCATABLE, **{key.replace("_", "-"): amount for key, amount in allocatable.items()}}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name, **(labels or {})}},
        "spec": spec or {},
        "status": {"allocatable": amounts, "capacity": amounts},
    }


async def add_node(cluster: Cluster, document: Document) -> None:
    """Add a node without the taint that admission adds to new nodes."""
    stored = await cluster.create(document)
    await cluster.change("nodes", stored.name, spec=document["spec"])


def pod(name: str, *, labels: Document | None = None, requests: Document | None = None, **spec: Any) -> Document:
    """Return a pod with one container."""
    resources = {"resources": {"requests": requests}} if requests else {}
    containers = [{"name": "app", "image": "nginx:1.27", **resources}]
    metadata: Document = {"name": name, "labels": labels} if labels else {"name": name}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {"containers": containers, **spec}}


async def node_of(cluster: Cluster, name: str, namespace: str = "default") -> str | None:
    """Return the node that a pod is bound to; None if the pod is not bound."""
    document = await cluster.get("pods", name, namespace)
    assert document is not None
    bound: str | None = document["spec"].get("nodeName")
    return bound


async def place(cluster: Cluster, document: Document) -> str | None:
    """Create a pod; return the node that the scheduler binds it to."""
    stored = await cluster.create(document)
    return await node_of(cluster, stored.name)


async def refusal(cluster: Cluster, name: str) -> str:
    """Return why a pod is not scheduled, without the result of attempted preemption."""
    condition = await scheduled_condition(cluster, name)
    assert condition["reason"] == "Unschedulable"
    message: str = condition["message"]
    return message.partition(" no new claims")[0]


async def scheduled_condition(cluster: Cluster, name: str) -> Document:
    """Return a pod's condition PodScheduled."""
    document = await cluster.get("pods", name)
    assert document is not None
    return next(c for c in document["status"]["conditions"] if c["type"] == "PodScheduled")


async def events(cluster: Cluster, reason: str) -> list[Document]:
    """Return the events with a reason."""
    listed = await cluster.store("events").list("default", ListOptions())
    return [item.document for item in listed.items if item.document["reason"] == reason]
