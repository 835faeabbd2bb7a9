"""Helpers for tests of the node controllers."""

from typing import Any

from memkube.controllers.nodes.simulated_nodes import SimulatedNodes
from memkube.registry.declarations.request_options import ListOptions
from tests.controllers.cluster import READY, Cluster, pod


def machines(cluster: Cluster) -> SimulatedNodes:
    assert cluster.manager.kubelet is not None
    return cluster.manager.kubelet.nodes


async def node(cluster: Cluster, name: str = "node-1") -> dict[str, Any]:
    found = await cluster.get("nodes", name, "")
    assert found is not None
    return found


async def change_spec(cluster: Cluster, name: str, **fields: Any) -> None:
    """Replace some fields of a node's spec."""
    await cluster.change("nodes", name, "", spec={**(await node(cluster, name))["spec"], **fields})


def conditions(document: dict[str, Any]) -> dict[str, Any]:
    """Return the conditions of an object by their types."""
    return {condition["type"]: condition for condition in document["status"].get("conditions") or ()}


async def taints(cluster: Cluster, name: str = "node-1") -> set[str]:
    """Return the taints of a node in the format of kubectl."""
    found = (await node(cluster, name))["spec"].get("taints") or ()
    return {f"{taint['key'].removeprefix('node.kubernetes.io/')}:{taint['effect']}" for taint in found}


def bound(name: str, to: str = "node-1", tolerations: list[dict[str, Any]] | None = None) -> dict[str, Any]:
    """Return a ready pod that is bound to a node and does not end at once when it is deleted."""
    document = pod(name, READY)
    waits = [{"name": "app", "image": "busybox", "command": ["sleep", "infinity"]}]
    spec = {**document["spec"], "containers": waits, "nodeName": to, "tolerations": tolerations or []}
    return {**document, "spec": spec}


async def messages(cluster: Cluster, reason: str) -> list[str]:
    """Return the messages of the events with a reason in the namespace ``default``."""
    events = (await cluster.store("events").list("default", ListOptions())).items
    return [event.document["message"] for event in events if event.document["reason"] == reason]
