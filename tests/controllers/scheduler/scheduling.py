"""Nodes and pods to be scheduled."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from memkube.apimachinery.model import Document
from memkube.registry.declarations.request_options import ListOptions
from tests.controllers.cluster import Cluster, running

ALLOCATABLE = {"cpu": "4", "memory": "8Gi", "ephemeral-storage": "100Gi", "pods": "110"}


@asynccontextmanager
async def scheduling(*nodes: Document, **settings: Any) -> AsyncIterator[Cluster]:
    """A cluster with these nodes, in which the scheduler runs."""
    async with running("scheduler", **settings) as cluster:
        for node in nodes:
            await add_node(cluster, node)
        yield cluster


def node(name: str, *, labels: Document | None = None, spec: Document | None = None, **allocatable: str) -> Document:
    """A node whose name is its host name; resources with a dash are written with an underscore."""
    amounts = {**ALLOCATABLE, **{key.replace("_", "-"): amount for key, amount in allocatable.items()}}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name, **(labels or {})}},
        "spec": spec or {},
        "status": {"allocatable": amounts, "capacity": amounts},
    }


async def add_node(cluster: Cluster, document: Document) -> None:
    """Adds a node without the taint that admission gives to new ones."""
    stored = await cluster.create(document)
    await cluster.change("nodes", stored.name, spec=document["spec"])


def pod(name: str, *, labels: Document | None = None, requests: Document | None = None, **spec: Any) -> Document:
    """A pod with one container."""
    resources = {"resources": {"requests": requests}} if requests else {}
    containers = [{"name": "app", "image": "nginx:1.27", **resources}]
    metadata: Document = {"name": name, "labels": labels} if labels else {"name": name}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {"containers": containers, **spec}}


async def node_of(cluster: Cluster, name: str, namespace: str = "default") -> str | None:
    """The node that a pod is bound to, if it is."""
    document = await cluster.get("pods", name, namespace)
    assert document is not None
    bound: str | None = document["spec"].get("nodeName")
    return bound


async def place(cluster: Cluster, document: Document) -> str | None:
    """Creates a pod; returns the node that it is given."""
    stored = await cluster.create(document)
    return await node_of(cluster, stored.name)


async def refusal(cluster: Cluster, name: str) -> str:
    """Why a pod is not scheduled, without what came of trying to evict others."""
    condition = await scheduled_condition(cluster, name)
    assert condition["reason"] == "Unschedulable"
    message: str = condition["message"]
    return message.partition(" no new claims")[0]


async def scheduled_condition(cluster: Cluster, name: str) -> Document:
    """A pod's condition PodScheduled."""
    document = await cluster.get("pods", name)
    assert document is not None
    return next(c for c in document["status"]["conditions"] if c["type"] == "PodScheduled")


async def events(cluster: Cluster, reason: str) -> list[Document]:
    """The events with a reason."""
    listed = await cluster.store("events").list("default", ListOptions())
    return [item.document for item in listed.items if item.document["reason"] == reason]
