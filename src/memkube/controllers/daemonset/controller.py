"""The DaemonSet controller: runs a pod on each selected node (``pkg/controller/daemon``)."""

from collections.abc import Sequence
from typing import Final

from memkube.apimachinery.model import Document
from memkube.controllers.daemonset.placement import Placement
from memkube.controllers.daemonset.plan import FailedPodBackoffs
from memkube.controllers.daemonset.reconciliation import Reconciliation, Tools
from memkube.controllers.framework.event_recorder import EventRecorder
from memkube.controllers.framework.informer import ResourceName
from memkube.controllers.framework.runtime import Runtime
from memkube.controllers.workloads.owners import OwnedObjects, controller_reference, controller_uid
from memkube.controllers.workloads.pod_control import PodControl
from memkube.controllers.workloads.pod_owners import Key, OwnerKind, PodOwners
from memkube.controllers.workloads.pod_state import is_terminating
from memkube.controllers.workloads.revisions import CONTROLLER_REVISIONS
from memkube.registry.objects.stored import StoredObject

_DAEMON_SETS: Final = OwnerKind(ResourceName("apps", "v1", "daemonsets"), "DaemonSet")


class DaemonSetController:
    """Runs a pod of each DaemonSet on each node that the pod template selects, and keeps ControllerRevisions."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._events = EventRecorder(runtime, "daemonset-controller")
        self._control = PodControl(runtime, self._events)
        self._pods_by_node = runtime.pods_by_node
        self._revisions = OwnedObjects(runtime.informers.of(*CONTROLLER_REVISIONS))
        self._owners = PodOwners(runtime, _DAEMON_SETS, self._sync)
        self._daemon_sets = runtime.informers.of(*_DAEMON_SETS.resource)
        self._nodes = runtime.informers.of("", "v1", "nodes")
        self._node_queue = runtime.queue("daemonset-node-updates", self._sync_node)
        self._placements: dict[str, tuple[int, Placement]] = {}
        """Generation of each DaemonSet, and the placement of its pods for that generation, by uid."""
        self._backoffs: dict[str, FailedPodBackoffs] = {}
        """Back-offs of failed pods, by the uid of the DaemonSet."""
        for saved in runtime.keep("daemonset-failed-pods", self._saved):
            self._backoffs.setdefault(saved["uid"], FailedPodBackoffs()).restore(saved["backoffs"])
        self._daemon_sets.subscribe(self._on_daemon_set)
        runtime.informers.of(*CONTROLLER_REVISIONS).subscribe(self._on_revision)
        self._nodes.subscribe(self._on_node)

    def _saved(self) -> Sequence[Document]:
        return [{"uid": uid, "backoffs": backoffs.saved()} for uid, backoffs in self._backoffs.items()]

    def _on_daemon_set(self, old: StoredObject | None, new: StoredObject | None) -> None:
        if new is None and old is not None:
            self._placements.pop(old.uid, None)
            self._backoffs.pop(old.uid, None)

    def _on_revision(self, old: StoredObject | None, new: StoredObject | None) -> None:
        if old is not None and (new is None or controller_uid(old) != controller_uid(new)):
            self._owners.queue_owner(old)
        if old is not None and new is not None:
            self._owners.queue_owner(new)
        if new is None or controller_uid(new) or is_terminating(new):
            return
        if old is None or controller_uid(old) or old.labels != new.labels:
            self._owners.queue_selecting(new)

    def _on_node(self, old: StoredObject | None, new: StoredObject | None) -> None:
        if new is not None and (old is None or old.labels != new.labels or _taints(old) != _taints(new)):
            self._node_queue.add(new.name)

    async def _sync_node(self, name: str) -> None:
        """Queue the DaemonSets that must create or delete a pod on a changed node (``syncNodeUpdate``)."""
        node = self._nodes.get("", name)
        if node is None:
            return
        references = [(pod.namespace, controller_reference(pod.document)) for pod in self._pods_by_node.on(name)]
        running = {
            (namespace, found["name"]) for namespace, found in references if found and found["kind"] == "DaemonSet"
        }
        for daemon_set in self._daemon_sets:
            key = daemon_set.namespace, daemon_set.name
            decision = self._placement_of(daemon_set).on(node)
            if key not in running:
                is_affected = decision.runs
            else:
                is_affected = not decision.continues or daemon_set.document["status"].get("numberMisscheduled", 0) > 0
            if is_affected:
                self._owners.queue.add(key)

    def _placement_of(self, daemon_set: StoredObject) -> Placement:
        generation = daemon_set.document["metadata"]["generation"]
        known, placement = self._placements.get(daemon_set.uid, (None, None))
        if placement is None or known != generation:
            placement = Placement(daemon_set.document)
            self._placements[daemon_set.uid] = generation, placement
        return placement

    async def _sync(self, key: Key) -> None:
        resource, daemon_set = self._owners.resource, self._owners.get(key)
        if resource is None or daemon_set is None or is_terminating(daemon_set):
            return
        placement = self._placement_of(daemon_set)
        decisions = {node.name: placement.on(node) for node in self._nodes}
        backoffs = self._backoffs.setdefault(daemon_set.uid, FailedPodBackoffs())
        tools = Tools(self._runtime, self._events, self._control, self._owners)
        reconciliation = Reconciliation(tools, daemon_set, resource, decisions, backoffs)
        revisions = [*self._revisions.of(daemon_set.uid), *self._revisions.orphans(daemon_set.namespace)]
        await reconciliation.run(revisions)


def _taints(node: StoredObject) -> Sequence[Document]:
    taints: Sequence[Document] = node.document.get("spec", {}).get("taints") or ()
    return taints
