"""Computes NodeMetrics and PodMetrics from the CPU and memory use that the simulated nodes report."""

from collections.abc import Sequence
from typing import Final

from memkube.apimachinery.errors import GroupResource, not_found
from memkube.apimachinery.labels import LabelSelector
from memkube.apimachinery.model import Document
from memkube.registry.declarations.interface import Stores

_NODES: Final = GroupResource("metrics.k8s.io", "nodemetrics")
_PODS: Final = GroupResource("metrics.k8s.io", "podmetrics")


class NodeUsage:
    """Computes the NodeMetrics of all nodes with a simulated kubelet that has not failed."""

    async def one(self, stores: Stores, namespace: str, name: str) -> Document:
        every = await self.all(stores, "", None)
        metrics = next((each for each in every if each["metadata"]["name"] == name), None)
        if metrics is None:
            raise not_found(_NODES, name)
        return metrics

    async def all(self, stores: Stores, namespace: str, labels: LabelSelector | None) -> Sequence[Document]:
        usage = stores.kind_services.resource_usage()
        return [] if usage is None else await usage.node_metrics()


class PodUsage:
    """Computes the PodMetrics of all pods whose containers have run long enough to be measured."""

    async def one(self, stores: Stores, namespace: str, name: str) -> Document:
        usage = stores.kind_services.resource_usage()
        metrics = None if usage is None else usage.metrics_of_pod(namespace, name)
        if metrics is None:
            raise not_found(_PODS, f"{namespace}/{name}")
        return metrics

    async def all(self, stores: Stores, namespace: str, labels: LabelSelector | None) -> Sequence[Document]:
        usage = stores.kind_services.resource_usage()
        return [] if usage is None else await usage.pod_metrics(namespace, labels)
