"""Nodes without a kubelet, and DaemonSets of pods with the label ``app: web``."""

from typing import Any

from memkube.apimachinery.model import Document
from memkube.apis.core.v1.pods.types import Binding
from memkube.controllers.daemonset.placement import target_node
from memkube.registry.declarations.request_options import WriteContext
from memkube.registry.declarations.resource import CreateSubresource
from tests.controllers.cluster import Cluster
from tests.controllers.workloads import TEMPLATE, listed, make_ready

CONTROLLER = "daemonset-controller"
REVISION = "controller-revision-hash"


async def add_node(cluster: Cluster, name: str, *taints: Document, **labels: str) -> None:
    """Create a node with exactly these taints."""
    metadata = {"name": name, "labels": labels}
    await cluster.create({"apiVersion": "v1", "kind": "Node", "metadata": metadata})
    await cluster.change("nodes", name, "", spec={"taints": list(taints)})


async def add_nodes(cluster: Cluster, count: int) -> None:
    for number in range(1, count + 1):
        await add_node(cluster, f"n{number}")


def taint(effect: str, key: str = "dedicated") -> Document:
    return {"key": key, "effect": effect}


def template(version: str = "1", **spec: Any) -> Document:
    return {"metadata": {"labels": {"app": "web", "version": version}}, "spec": {**TEMPLATE["spec"], **spec}}


def daemon_set(name: str = "web", **spec: Any) -> Document:
    spec = {"selector": {"matchLabels": {"app": "web"}}, "template": template(), **spec}
    return {"apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": {"name": name}, "spec": spec}


def rolling(unavailable: int | str = 1, surge: int | str = 0) -> Document:
    return {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": unavailable, "maxSurge": surge}}


async def serve(cluster: Cluster, nodes: int, **spec: Any) -> None:
    """Create nodes, and a DaemonSet whose pods are ready on each of them."""
    await add_nodes(cluster, nodes)
    await cluster.create(daemon_set(**spec))
    await make_ready(cluster, *[pod.name for pod in await listed(cluster)])


async def update(cluster: Cluster, **spec: Any) -> None:
    """Change the template of the DaemonSet to the next version."""
    await cluster.change("daemonsets", "web", spec=daemon_set(**{"template": template("2"), **spec})["spec"])


async def versions(cluster: Cluster) -> list[tuple[str, str]]:
    """Return the nodes of all pods with the versions of the pods' templates."""
    return sorted((target_node(pod), pod.labels["version"]) for pod in await listed(cluster))


async def placed(cluster: Cluster) -> list[str]:
    """Return the nodes of all pods."""
    return sorted(target_node(pod) for pod in await listed(cluster))


async def pod_on(cluster: Cluster, node: str, version: str = "1") -> str:
    """Return the name of the only pod of a template on a node."""
    [pod] = [p for p in await listed(cluster) if (target_node(p), p.labels["version"]) == (node, version)]
    return pod.name


async def bind(cluster: Cluster, node: str) -> None:
    """Bind the only pod of a node to the node, as the scheduler does."""
    store, name = cluster.store("pods"), await pod_on(cluster, node)
    binding = Binding.from_document({"metadata": {"name": name}, "target": {"kind": "Node", "name": node}})
    part = store.resource.subresource("binding")
    assert isinstance(part, CreateSubresource)
    await store.post(part, name, binding, WriteContext(namespace="default", manager="scheduler"))
    await cluster.settle()
