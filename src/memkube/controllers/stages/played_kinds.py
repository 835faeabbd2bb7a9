"""How Stages apply to Pods, Nodes and other kinds.

Each kind decides to which of its objects Stages apply, and which functions the templates of its Stages can call.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cached_property
from ipaddress import ip_address
from types import MappingProxyType
from typing import Any, Final

from memkube.apimachinery.model import Document
from memkube.controllers.framework.runtime import Runtime
from memkube.controllers.framework.staged_kinds import NODES, PODS, StagedKind
from memkube.controllers.nodes.description import KUBELET_PORT
from memkube.controllers.stages.compiling import StageLanguages
from memkube.controllers.stages.languages.cel import CelLanguage, CelSources
from memkube.controllers.stages.languages.sprig.random_values import RandomFunctions
from memkube.controllers.stages.languages.sprig.times import TimeFunctions
from memkube.controllers.stages.languages.template_arguments import TemplateFunction, bool_of, taking, text_of
from memkube.controllers.stages.languages.template_functions import FUNCTIONS
from memkube.controllers.stages.pod_addresses import StagedPodAddresses
from memkube.registry.objects.stored import StoredObject
from memkube.version import VERSION

NODE_IP: Final = "172.16.255.254"
"""IP address of Nodes that have none and are not simulated. In KWOK it is the address of the KWOK process."""
_CONDITIONS: Final[tuple[Mapping[str, str], ...]] = tuple(
    MappingProxyType({"type": type_, "status": status, "reason": reason, "message": message})
    for type_, status, reason, message in (
        ("Ready", "True", "KubeletReady", "kubelet is posting ready status"),
        ("MemoryPressure", "False", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
        ("DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
        ("PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
        ("NetworkUnavailable", "False", "RouteCreated", "RouteController created a route"),
    )
)


class PlayedKind:
    """A kind of objects to which Stages apply, unless an object has the annotation ``kwok.x-k8s.io/status: custom``.

    The subclasses for Pods and Nodes exclude more objects.
    """

    default_patch: str = "merge"
    """Type of the patches in Stages that name no type."""
    impersonates_to_apply: bool = True
    """True if the action ``apply`` of Stages may impersonate a user."""

    def __init__(self, kind: StagedKind, runtime: Runtime) -> None:
        self._kind = kind
        self._runtime = runtime
        self._started = runtime.clock.now()
        drawn = runtime.registry.kind_services.random_values.drawn
        self._common = {
            **FUNCTIONS,
            **TimeFunctions(runtime.clock.now).functions,
            **RandomFunctions(drawn).functions,
        }

    @cached_property
    def languages(self) -> StageLanguages:
        """The CEL language and the template functions of the Stages for this kind."""
        sources = CelSources(self._runtime.clock.now, self._runtime.registry.kind_services.random_values.drawn)
        return StageLanguages(CelLanguage(self._kind, sources), self.functions(None), self.impersonates_to_apply)

    def is_played(self, stored: StoredObject) -> bool:
        """Return True if Stages apply to this object."""
        annotations: Mapping[str, str] = stored.document["metadata"].get("annotations") or {}
        return annotations.get("kwok.x-k8s.io/status") != "custom"

    def functions(self, stored: StoredObject | None) -> Mapping[str, TemplateFunction]:
        """Return the functions that templates for the object `stored` can call, by name.

        To compile templates, which needs only the names, `stored` may be None. The functions must not be called then.
        """
        return {
            **self._common,
            "Now": taking(0, lambda: nano_time(self._runtime.clock.now())),
            "StartTime": taking(0, lambda: nano_time(self._started)),
            "Version": taking(0, lambda: VERSION),
            "NodeConditions": taking(0, lambda: [dict(condition) for condition in _CONDITIONS]),
        }

    def forget(self, uid: str) -> None:
        """Free resources of a deleted object, such as the IP addresses of a pod. By default, there are none."""


class PlayedNodes(PlayedKind):
    """The kind Node. Stages apply to a Node unless its simulated machine has failed or is cut off."""

    default_patch = "strategic"
    impersonates_to_apply = False

    def is_played(self, stored: StoredObject) -> bool:
        return super().is_played(stored) and not is_silent(self._runtime, stored.name)

    def functions(self, stored: StoredObject | None) -> Mapping[str, TemplateFunction]:
        name = stored.name if stored is not None else ""
        return {
            **super().functions(stored),
            "NodeIP": taking(0, lambda: host_ip(self._runtime, name)),
            "NodeName": taking(0, lambda: name),
            "NodePort": taking(0, lambda: KUBELET_PORT),
        }


class PlayedPods(PlayedKind):
    """The kind Pod. Stages apply to Pods on existing Nodes, unless the Node's machine has failed or is cut off."""

    default_patch = "strategic"
    impersonates_to_apply = False

    def __init__(self, kind: StagedKind, runtime: Runtime) -> None:
        super().__init__(kind, runtime)
        self._nodes = runtime.informers.of("", "v1", "nodes")
        self._addresses = StagedPodAddresses(runtime)

    def is_played(self, stored: StoredObject) -> bool:
        node = stored.document["spec"].get("nodeName", "")
        exists = self._nodes.get("", node) is not None and not is_silent(self._runtime, node)
        return exists and super().is_played(stored)

    def functions(self, stored: StoredObject | None) -> Mapping[str, TemplateFunction]:
        node = stored.document["spec"].get("nodeName", "") if stored is not None else ""
        uid = stored.uid if stored is not None else ""
        return {
            **super().functions(stored),
            "NodeIP": taking(0, lambda: host_ip(self._runtime, node)),
            "NodeIPWith": taking(1, lambda name: self._node_ips(text_of(name))[0]),
            "NodeIPsWith": taking(1, lambda name: self._node_ips(text_of(name))),
            "PodIP": taking(0, lambda: self._addresses.of(uid, None)[0]),
            "PodIPWith": taking(5, lambda *values: self._pod_ips(uid, *values)[0]),
            "PodIPsWith": taking(5, lambda *values: self._pod_ips(uid, *values)),
        }

    def forget(self, uid: str) -> None:
        self._addresses.give_back(uid)

    def _node_ips(self, name: str) -> list[str]:
        node = self._nodes.get("", name)
        found = _node_addresses(node.document) if node is not None else []
        return found or [host_ip(self._runtime, name)]

    def _pod_ips(self, pod: str, node_name: Any, host_network: Any, *identity: Any) -> list[str]:
        """Return the IP addresses of a pod, for the template functions ``PodIPWith`` and ``PodIPsWith``.

        `pod` is the uid of the pod. If it uses the host network, the addresses are those of its node. Otherwise the pod
        keeps the addresses until it is deleted. The remaining arguments, `identity`, must be strings and have no
        effect.
        """
        for value in identity:
            text_of(value)
        if bool_of(host_network):
            return self._node_ips(text_of(node_name))
        return self._addresses.of(pod, self._nodes.get("", text_of(node_name)))


def played_kind(kind: StagedKind, runtime: Runtime) -> PlayedKind:
    """Return the PlayedPods, PlayedNodes or PlayedKind that determines how Stages apply to a kind."""
    special: dict[StagedKind, type[PlayedKind]] = {PODS: PlayedPods, NODES: PlayedNodes}
    return special.get(kind, PlayedKind)(kind, runtime)


def is_silent(runtime: Runtime, node: str) -> bool:
    """Return True if the simulated machine of a node does not reach the API server."""
    machine = runtime.machines.get(node) if runtime.machines is not None else None
    return machine is not None and machine.is_silent


def host_ip(runtime: Runtime, node: str) -> str:
    """Return the IP address of a node's machine, or a default address if the node is not simulated."""
    machine = runtime.machines.get(node) if runtime.machines is not None else None
    return machine.host_ip if machine is not None else NODE_IP


def nano_time(instant: datetime) -> str:
    """Format a time in Go's layout ``RFC3339Nano``, without zeros at the end of the fraction."""
    text = instant.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%f")
    return text.rstrip("0").rstrip(".") + "Z"


def _node_addresses(node: Document) -> list[str]:
    """Return the first IP address of each IP family of a node. Internal addresses precede external ones."""
    listed = node["status"].get("addresses") or ()
    texts = [each["address"] for type_ in ("InternalIP", "ExternalIP") for each in listed if each["type"] == type_]
    families: dict[int, str] = {}
    for text in texts:
        try:
            address = ip_address(text)
        except ValueError:
            continue
        families.setdefault(address.version, str(address))
    return list(families.values())
