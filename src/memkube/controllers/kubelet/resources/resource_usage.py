"""CPU and memory usage of simulated containers, as metrics-server reports it."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from memkube.apimachinery.labels import LabelSelector
from memkube.apimachinery.model import Document
from memkube.apimachinery.quantity import Quantity
from memkube.apimachinery.time import Time
from memkube.controllers.framework.informer import Informer
from memkube.controllers.kubelet.containers.behavior import ContainerBehavior, behavior_in
from memkube.controllers.kubelet.containers.rules import ContainerRules
from memkube.controllers.kubelet.pod_context import NotConfigured
from memkube.controllers.nodes.simulated_node import SimulatedNode
from memkube.controllers.nodes.simulated_nodes import SimulatedNodes
from memkube.registry.objects.stored import StoredObject
from memkube.time.clock import Clock
from memkube.time.turns import Turns

WINDOW_SECONDS: Final = 15
"""Seconds between two measurements of resource usage (metrics-server ``--metric-resolution``)."""
_CPU_SHARE: Final = 10
"""CPU usage of a container without configured usage, in percent of its request."""
_MEMORY_SHARE: Final = 50
"""Memory usage of a container without configured usage, in percent of its request."""
_LEAST: Final = {"cpu": Quantity("1m"), "memory": Quantity("10Mi")}
"""Usage of a container that has neither configured usage nor a request."""
_OF_NODE: Final = {"cpu": Quantity("50m"), "memory": Quantity("256Mi")}
"""Usage of a node by its system processes, in addition to the usage by its pods."""
MEMORY_OF_SYSTEM: Final = _OF_NODE["memory"].value
"""Bytes of memory that the system processes of a node use, in addition to its pods."""


class SimulatedUsage:
    """Computes PodMetrics and NodeMetrics from the containers that are running now."""

    def __init__(self, pods: Informer, nodes: SimulatedNodes, rules: ContainerRules, clock: Clock) -> None:
        self._pods = pods
        self._nodes = nodes
        self._rules = rules
        self._clock = clock

    def metrics_of_pod(self, namespace: str, name: str) -> Document | None:
        pod = self._pods.get(namespace, name)
        return None if pod is None else self._metrics(pod, self._clock.now())

    async def pod_metrics(self, namespace: str, labels: LabelSelector | None) -> Sequence[Document]:
        pods = self._pods.in_namespace(namespace).values() if namespace else self._pods
        selected = [pod for pod in pods if labels is None or labels.matches(pod.labels)]
        now, turns, found = self._clock.now(), Turns(), list[Document]()
        for pod in sorted(selected, key=lambda pod: (pod.namespace, pod.name)):
            await turns.give()
            metrics = self._metrics(pod, now)
            if metrics is not None:
                found.append(metrics)
        return found

    async def node_metrics(self) -> Sequence[Document]:
        now, turns = self._clock.now(), Turns()
        totals = {machine.name: self._of_system(machine) for machine in self._nodes if not machine.is_silent}
        for pod in self._pods:
            await turns.give()
            total = totals.get(pod.document["spec"].get("nodeName", ""))
            if total is None:
                continue
            for container in self._containers(pod.document, now):
                for resource, amount in container["usage"].items():
                    total[resource] = total[resource].plus(amount)
        return [{"metadata": {"name": name}, **_interval(now), "usage": totals[name]} for name in sorted(totals)]

    @staticmethod
    def _of_system(machine: SimulatedNode) -> dict[str, Quantity]:
        """Return the usage of a node's resources by processes that do not belong to pods."""
        set_memory = machine.others.get("memory")
        memory = _OF_NODE["memory"] if set_memory is None else Quantity.of(set_memory * 10**9, "BinarySI")
        return {**_OF_NODE, "memory": memory}

    def memory(self, pod: Document) -> Mapping[str, int]:
        """Return the memory that each running container of a pod uses, in bytes, by container name.

        Unlike PodMetrics, this includes containers that have just started.
        """
        started = dict(_running(pod))
        return {
            each["name"]: self._usage(pod["metadata"], each)["memory"].value
            for each in (*pod["spec"]["containers"], *(pod["spec"].get("initContainers") or ()))
            if each["name"] in started
        }

    def _metrics(self, pod: StoredObject, now: datetime) -> Document | None:
        """Return the PodMetrics of a pod, or None if its containers were not measured yet."""
        containers = self._containers(pod.document, now)
        if not containers:
            return None
        metadata: Document = {"name": pod.name, "namespace": pod.namespace, "creationTimestamp": Time.at(now)}
        if pod.labels:
            metadata["labels"] = pod.labels
        return {"metadata": metadata, **_interval(now), "containers": containers}

    def _containers(self, pod: Document, now: datetime) -> Sequence[Document]:
        """Return the metrics of the running containers of a pod; empty if one of them was not measured yet."""
        machine = self._nodes.get(pod["spec"].get("nodeName", ""))
        if machine is None or machine.is_silent:
            return ()
        started = dict(_running(pod))
        if not started or max(started.values()) > now - timedelta(seconds=WINDOW_SECONDS):
            return ()
        spec = pod["spec"]
        sidecars = (each for each in spec.get("initContainers") or () if each.get("restartPolicy") == "Always")
        containers = (each for each in (*spec["containers"], *sidecars) if each["name"] in started)
        return [{"name": each["name"], "usage": self._usage(pod["metadata"], each)} for each in containers]

    def _usage(self, metadata: Document, container: Document) -> dict[str, Quantity]:
        try:
            behavior = behavior_in(self._rules, metadata, container["name"], container["image"])
        except NotConfigured:
            behavior = ContainerBehavior()
        requests: dict[str, str] = (container.get("resources") or {}).get("requests") or {}
        return {
            "cpu": _default("cpu", requests, _CPU_SHARE) if behavior.cpu is None else behavior.cpu,
            "memory": _default("memory", requests, _MEMORY_SHARE) if behavior.memory is None else behavior.memory,
        }


def _running(pod: Document) -> Iterator[tuple[str, datetime]]:
    """Yield the name and the start time of each running container of a pod, according to its status."""
    status: dict[str, Any] = pod["status"]
    for each in (*(status.get("containerStatuses") or ()), *(status.get("initContainerStatuses") or ())):
        running = (each.get("state") or {}).get("running")
        if running is not None and running.get("startedAt"):
            yield each["name"], datetime.fromisoformat(running["startedAt"])


def _default(resource: str, requests: dict[str, str], share: int) -> Quantity:
    if resource not in requests:
        return _LEAST[resource]
    requested = Quantity(requests[resource])
    unit = 10**9 if resource == "memory" else 10**6
    return Quantity.of(requested.nano * share // 100 // unit * unit, requested.amount.format)


def _interval(now: datetime) -> Document:
    return {"timestamp": Time.at(now.replace(microsecond=0)), "window": f"{WINDOW_SECONDS}s"}
