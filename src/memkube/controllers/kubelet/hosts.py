"""State that the pods of one simulated node share: IP addresses, images and the event recorder."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from memkube.apimachinery.model import Document
from memkube.controllers.framework.event_recorder import EventRecorder
from memkube.controllers.framework.runtime import Runtime
from memkube.controllers.kubelet.addresses import PodAddresses
from memkube.controllers.kubelet.containers.image_references import with_tag
from memkube.controllers.nodes.simulated_node import SimulatedNode
from memkube.controllers.nodes.simulated_nodes import SimulatedNodes
from memkube.registry.objects.stored import StoredObject


@dataclass(slots=True)
class Host:
    """State that the pods of one simulated node share: IP addresses, pulled images and the event recorder."""

    machine: SimulatedNode
    addresses: PodAddresses
    recorder: EventRecorder
    images: set[str] = field(default_factory=set)


class Hosts:
    """The state that the pods of each simulated node share."""

    def __init__(self, runtime: Runtime, nodes: SimulatedNodes) -> None:
        self._runtime = runtime
        self._nodes = nodes
        self._hosts: dict[str, Host] = {}

    def of(self, machine: SimulatedNode) -> Host:
        """Return the state that the pods of a node share. The first call for a node creates it."""
        host = self._hosts.get(machine.name)
        if host is None:
            recorder = EventRecorder(self._runtime, "kubelet", machine.name, "kubelet")
            host = self._hosts[machine.name] = Host(machine, PodAddresses(machine.pod_network), recorder)
        return host

    def forget(self, node: str) -> None:
        """Drop the state of a removed node."""
        self._hosts.pop(node, None)

    def give_back(self, node: str, uid: str) -> None:
        """Free the IP address of a deleted pod on its node."""
        self._hosts[node].addresses.give_back(uid)

    def adopt(self, pods: Iterable[StoredObject]) -> None:
        """Reserve the IP addresses that pods already have, for example from an earlier server or from Stages."""
        for stored in pods:
            spec, status = stored.document["spec"], stored.document.get("status") or {}
            machine = self._nodes.get(spec.get("nodeName", ""))
            is_over = status.get("phase") in ("Succeeded", "Failed")
            if machine is not None and not spec.get("hostNetwork") and not is_over and status.get("podIP"):
                self.of(machine).addresses.adopt(stored.uid, status["podIP"])

    def saved(self) -> list[Document]:
        """Return the state of all nodes as JSON data, for a snapshot."""
        return [
            {"node": name, "addresses": host.addresses.saved(), "images": sorted(host.images)}
            for name, host in sorted(self._hosts.items())
        ]

    def restore(self, saved: Iterable[Document]) -> None:
        """Restore the state that :meth:`saved` returned, for nodes that still exist.

        Raises ValueError, TypeError or KeyError if `saved` is malformed.
        """
        for entry in saved:
            machine = self._nodes.get(entry["node"])
            if machine is not None:
                host = self.of(machine)
                host.addresses.restore(entry["addresses"])
                host.images.update(map(with_tag, entry["images"]))
