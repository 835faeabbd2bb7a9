"""The pods that the simulated nodes run, including pods with saved state from before a restart or restore.

The saved state of a pod is decoded when it is first used.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from memkube.apimachinery.model import Document
from memkube.controllers.framework.informer import Informer
from memkube.controllers.framework.saved_values import CannotBeSaved
from memkube.controllers.kubelet.addresses import PodKey
from memkube.controllers.kubelet.hosts import Host
from memkube.registry.objects.stored import StoredObject

if TYPE_CHECKING:
    # The modules that run pods, and the types of pods, are large, so they are imported with the first pod.
    from memkube.apis.core.v1.pods.types import Pod
    from memkube.controllers.kubelet.pod import SimulatedPod

Restore: TypeAlias = "Callable[[PodKey, Document, Pod], tuple[Host, SimulatedPod] | None]"
"""Function that decodes the saved state of a pod. Returns None if the pod's node does not exist."""


@dataclass(slots=True)
class HeldPod:
    """A pod that a simulated node runs, together with the state that the node's kubelet keeps about it."""

    host: Host
    pod: "SimulatedPod"
    written: str = ""
    """resourceVersion of the kubelet's last write of the pod, whose watch event is ignored."""
    is_removed: bool = False
    seen: StoredObject | None = None
    """The last Pod object that the kubelet saw before its node was cut off; None while the node is connected."""
    written_before: str = ""
    """resourceVersion of the write before the last one, whose watch event is ignored too."""

    def note_write(self, stored: StoredObject) -> None:
        """Remember the revision `stored`, which the kubelet has written, so that its watch event is ignored."""
        self.written_before, self.written = self.written, stored.resource_version

    def is_own_write(self, stored: StoredObject) -> bool:
        """True if this revision of the pod is one of the kubelet's last two writes."""
        return stored.resource_version in (self.written, self.written_before)

    def is_cut_off(self, stored: StoredObject | None) -> bool:
        """True if the pod keeps running on a node that is cut off from the API server.

        `stored` is the Pod object that has the pod's name in the API server now, or None. If `stored` is another pod
        that is bound to another node, the result is False, because memkube simulates only one pod of a name.
        """
        machine = self.host.machine
        if not machine.partitioned or self.seen is None:
            return False
        if stored is None or stored.uid == self.pod.uid:
            return True
        return stored.document["spec"].get("nodeName", "") in ("", machine.name)


class HeldPods:
    """The pods that run on all simulated nodes, by namespace and name."""

    def __init__(self, pods: Informer, revision_shift: int, restore: Restore) -> None:
        """Create the index of the simulated pods. `pods` is the informer of Pods.

        `restore` takes the key of a pod, its saved state and the Pod, and decodes the state. It returns None if the
        pod's node does not exist.

        The objects of a restored snapshot get new resourceVersions: an object with the resourceVersion N in a saved
        state has the resourceVersion N + `revision_shift` on this server.
        """
        self._pods = pods
        self._shift = revision_shift
        self._restore = restore
        self._held: dict[PodKey, HeldPod] = {}
        self.undecoded: dict[PodKey, Document] = {}
        """Saved pods from before a restart or restore, not decoded yet."""
        self.altered: set[PodKey] = set()
        """Keys of the pods that other clients have changed, and that the kubelet has not processed since."""

    def close(self) -> None:
        """Break the reference cycle with the kubelet.

        After that, the saved state of pods can no longer be decoded.
        """
        self._restore = _not_restored

    def get(self, key: PodKey) -> HeldPod | None:
        """Return a pod by namespace and name; None if it does not exist, or its saved state was not decoded yet."""
        return self._held.get(key)

    def put(self, key: PodKey, held: HeldPod) -> None:
        """Add a pod that its node has accepted, with the kubelet's state about it (`held`)."""
        self._held[key] = held

    def remove(self, key: PodKey) -> None:
        """Remove a pod. Raises KeyError if there is no such pod, or if only its saved state exists."""
        del self._held[key]
        self.altered.discard(key)

    def __iter__(self) -> Iterator[HeldPod]:
        return iter(list(self._held.values()))

    def all_keys(self) -> list[PodKey]:
        """Return the namespaces and names of all pods, including pods whose saved state was not decoded yet."""
        return [*self._held, *self.undecoded]

    def find(self, key: PodKey, pod: "Pod") -> HeldPod | None:
        """Return the state of the Pod object `pod`, whose namespace and name are `key`; None if no node runs it.

        Saved state from before a restart or restore is decoded if it belongs to a pod with the same uid.
        """
        saved = self.undecoded.get(key)
        if saved is not None and saved["pod"]["uid"] == pod.metadata.uid:
            del self.undecoded[key]
            restored = self._restore(key, saved, pod)
            if restored is not None:
                host, simulated = restored
                seen = StoredObject(saved["seen"]) if saved.get("seen") else None
                self._held[key] = HeldPod(host, simulated, self.last_written_revision(saved), saved["removed"], seen)
        return self._held.get(key)

    def find_cut_off(self, key: PodKey) -> HeldPod | None:
        """Decode the saved state of a pod whose node is cut off from the API server. Returns None for any other pod."""
        seen = self.undecoded[key].get("seen") if key in self.undecoded else None
        if seen is None:
            return None
        from memkube.apis.core.v1.pods.types import Pod  # noqa: PLC0415  imported with the first pod

        return self.find(key, Pod.from_document(seen))

    def on(self, node: str) -> dict[PodKey, HeldPod]:
        """Return the pods that an existing node runs, by key. State from before a restart is decoded if necessary."""
        for key in [key for key, saved in self.undecoded.items() if saved["node"] == node]:
            from memkube.apis.core.v1.pods.types import Pod  # noqa: PLC0415  imported with the first pod

            stored = self._pods.get(*key)
            document = self.undecoded[key].get("seen") or (None if stored is None else stored.document)
            if document is not None:
                self.find(key, Pod.from_document(document))
        return {key: held for key, held in self._held.items() if held.host.machine.name == node}

    def forget_undecoded_on(self, node: str) -> None:
        """Drop the saved state of pods of a removed node, if it was not decoded yet."""
        self.undecoded = {key: saved for key, saved in self.undecoded.items() if saved["node"] != node}

    def last_written_revision(self, saved: Document) -> str:
        """Return the resourceVersion that the kubelet's last write of a pod has on this server.

        `saved` is the saved state of the pod from before a restart or restore. The result is empty if the kubelet never
        wrote the pod.
        """
        written: str = saved["written"]
        return str(int(written) + self._shift) if written else ""

    def saved(self, is_queued: Callable[[PodKey], bool]) -> list[Document]:
        """Return the state of all pods as JSON data. Raises CannotBeSaved if the program of a pod cannot be saved.

        `is_queued` takes the key of a pod, and returns True if the pod waits in the kubelet's work queue.
        """
        saved = [{**_saved(key, held), "queued": is_queued(key)} for key, held in self._held.items()]
        return sorted([*saved, *self.undecoded.values()], key=lambda pod: (pod["namespace"], pod["name"]))


def _not_restored(*_: object) -> None:
    """Restore no pod: replaces the function that decodes the saved state of a pod, once the kubelet has stopped."""


def _saved(key: PodKey, held: HeldPod) -> Document:
    from memkube.controllers.kubelet.saving import saved_pod  # noqa: PLC0415  imported with the first pod

    try:
        pod = saved_pod(held.pod)
    except CannotBeSaved as container:
        raise CannotBeSaved(f"container {container} of pod {'/'.join(key)}") from None
    return {
        "namespace": key.namespace,
        "name": key.name,
        "node": held.host.machine.name,
        "written": held.written,
        "removed": held.is_removed,
        "seen": None if held.seen is None else held.seen.document,
        "pod": pod,
    }
