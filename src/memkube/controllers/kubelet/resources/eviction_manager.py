"""Eviction of pods from nodes under pressure (``pkg/kubelet/eviction``)."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Final, TypeAlias

from memkube.apimachinery.model import Document
from memkube.controllers.framework.event_recorder import Report
from memkube.controllers.framework.runtime import Runtime
from memkube.controllers.framework.saved_values import instant, instant_or_none
from memkube.controllers.kubelet.containers.rules import ContainerRules
from memkube.controllers.nodes.resources import PressureHistory, WatchedResource
from memkube.controllers.nodes.simulated_node import SimulatedNode
from memkube.controllers.nodes.simulated_nodes import SimulatedNodes
from memkube.registry.objects.stored import StoredObject

if TYPE_CHECKING:
    # The types of pods are large, so they are imported with the first pod.
    from memkube.apis.core.v1.pods.types import Pod
    from memkube.controllers.kubelet.containers.behavior import ContainerRule
    from memkube.controllers.kubelet.resources.eviction_ranking import EvictionCandidate

_MONITORING_SECONDS: Final = 10.0
_CLEANUP_SECONDS: Final = 2.0
"""Seconds after the eviction of a pod until the next pod of the node may be evicted."""
_BEHAVIOR: Final = "memkube.dev/behavior"
Candidates: TypeAlias = "Callable[[str], list[EvictionCandidate]]"
"""Function that returns the pods on a node that are Pending or Running, with their resource usage."""
Evict: TypeAlias = "Callable[[Pod, str], Awaitable[bool]]"
"""Function that evicts a pod, given the message for its status. Returns False if the pod was deleted meanwhile."""


class EvictionManager:
    """Sets the pressure conditions of simulated nodes, and evicts one pod of a node at a time.

    A node is checked regularly only while its pressure can change: after a user has set its available resources, while
    it reports pressure, and while the memory usage of containers is configured.
    """

    def __init__(
        self, runtime: Runtime, nodes: SimulatedNodes, candidates: Candidates, evict: Evict, rules: ContainerRules
    ) -> None:
        self._clock = runtime.clock
        self._nodes = nodes
        self._candidates = candidates
        self._evict = evict
        self._rules = rules
        self._by_node = runtime.pods_by_node
        self._histories: dict[str, PressureHistory] = {}
        self._queue = runtime.queue("evictions", self._synchronize)
        for saved in runtime.keep("node-pressure", self._saved):
            history = self._histories[saved["node"]] = PressureHistory()
            history.restore({type_: instant(at) for type_, at in saved["observed"].items()})
            if (due := instant_or_none(saved["due"])) is not None:
                self._queue.add_after(saved["node"], (due - self._clock.now()).total_seconds())
        runtime.closing.append(self._close)
        rules.subscribe(self._rule_changed)
        nodes.subscribe(self._node_changed)
        runtime.informers.of("", "v1", "pods").subscribe(self._pod_changed)

    def set_available(self, machine: SimulatedNode, available: dict[WatchedResource, int]) -> None:
        """Set how much of the resources of a node is available now.

        The part of the capacity that is neither available nor used by pods counts as used by processes outside of pods.
        These processes keep this part when pods end later. If `available` does not contain a resource, they use none of
        it; only the system processes use their usual amount of memory.
        """
        capacities = machine.shape.capacities
        used = self._used_by_pods(machine, self._candidates(machine.name)) if available else {}
        machine.others = {
            watched: max(capacities[watched] - used[watched] - amount, 0) for watched, amount in available.items()
        }
        self._queue.add(machine.name)

    def _close(self) -> None:
        """Break the reference cycle with the kubelet: drop the references to its functions."""
        self._candidates, self._evict = _no_candidates, _evict_nothing

    def _saved(self) -> list[Document]:
        """Return JSON data for a snapshot: for each node, the times of observed pressures and of its next check."""
        return [
            {"node": name, "observed": dict(history.observed), "due": self._queue.due(name)}
            for name, history in sorted(self._histories.items())
        ]

    def _rule_changed(self, rule: "ContainerRule") -> None:
        if rule.memory is not None:
            for node in self._by_node.nodes():
                self._watch(node)

    def _node_changed(self, name: str) -> None:
        if self._nodes.get(name) is None:
            self._histories.pop(name, None)
        elif self._is_watched(name):
            self._watch(name)

    def _pod_changed(self, old: StoredObject | None, new: StoredObject | None) -> None:
        if new is None or not (node := new.document["spec"].get("nodeName", "")):
            return
        if (old is None or old.document["spec"].get("nodeName", "") != node) and self._has_memory(new):
            self._watch(node)

    def _watch(self, node: str) -> None:
        if self._nodes.get(node) is not None:
            self._queue.add_after(node, _MONITORING_SECONDS)

    def _has_memory(self, pod: StoredObject) -> bool:
        """True if a rule or the pod's annotation may configure the memory usage of one of its containers."""
        annotations: dict[str, str] = pod.document["metadata"].get("annotations") or {}
        is_annotated = any(key.endswith(_BEHAVIOR) and '"memory"' in value for key, value in annotations.items())
        return is_annotated or any(rule.memory is not None for _, rule in self._rules.items())

    def _is_watched(self, node: str) -> bool:
        machine = self._nodes.get(node)
        if machine is None:
            return False
        return bool(machine.others or machine.pressures) or any(map(self._has_memory, self._by_node.on(node)))

    async def _synchronize(self, node: str) -> None:
        """Update the pressure conditions of a node, and evict one of its pods if an eviction threshold is met."""
        machine = self._nodes.get(node)
        if machine is None or machine.failed or not (self._is_watched(node) or node in self._histories):
            return
        candidates = self._candidates(node)
        available = self._available(machine, candidates)
        met = [threshold for threshold in machine.shape.thresholds if available[threshold.watched] < threshold.quantity]
        history = self._histories.setdefault(node, PressureHistory())
        self._nodes.set_pressures(machine, history.observe(met, self._clock.now()))
        seconds = _MONITORING_SECONDS
        if met:
            first = met[0]
            await self._nodes.tell(
                machine, Report("Warning", "EvictionThresholdMet", f"Attempting to reclaim {first.starved}")
            )
            from memkube.controllers.kubelet.resources.eviction_ranking import eviction_message, ranked  # noqa: PLC0415  imported with the first pod

            for candidate in ranked(candidates, first):
                message = eviction_message(candidate, first, available[first.watched])
                if not candidate.is_critical and await self._evict(candidate.pod, message):
                    seconds = _CLEANUP_SECONDS
                    break
        elif not self._is_watched(node):
            del self._histories[node]
            return
        self._queue.add_after(node, seconds)

    def _available(self, machine: SimulatedNode, candidates: "list[EvictionCandidate]") -> dict[WatchedResource, int]:
        from memkube.controllers.kubelet.resources.resource_usage import MEMORY_OF_SYSTEM  # noqa: PLC0415  imported with the first pod

        used = self._used_by_pods(machine, candidates)
        others: dict[WatchedResource, int] = {"memory": MEMORY_OF_SYSTEM, **machine.others}
        return {
            watched: max(capacity - used[watched] - others.get(watched, 0), 0)
            for watched, capacity in machine.shape.capacities.items()
        }

    @staticmethod
    def _used_by_pods(machine: SimulatedNode, candidates: "list[EvictionCandidate]") -> dict[WatchedResource, int]:
        return {watched: sum(one.used[watched] for one in candidates) for watched in machine.shape.capacities}


def _no_candidates(node: str) -> "list[EvictionCandidate]":
    return []


async def _evict_nothing(pod: "Pod", message: str) -> bool:
    return False
