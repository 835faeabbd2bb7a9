"""The kubelets of the simulated nodes. They run the pods that are bound to the nodes, and write the pods' status."""

import asyncio
from collections import defaultdict, deque
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cached_property, partial
from typing import TYPE_CHECKING, Final, cast

from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.meta.v1.delete_options import DeleteOptions, Preconditions
from memkube.apimachinery.model import Document
from memkube.apimachinery.time import Time
from memkube.controllers.framework.event_recorder import Report
from memkube.controllers.framework.runtime import Runtime
from memkube.controllers.framework.saved_values import BEHAVIORS, SERVICE_VARIABLES, instant_or_none
from memkube.controllers.framework.staged_kinds import PODS, StagedKind
from memkube.controllers.kubelet.addresses import PodKey
from memkube.controllers.kubelet.containers.rules import ContainerRules
from memkube.controllers.kubelet.held_pods import HeldPod, HeldPods
from memkube.controllers.kubelet.hosts import Host, Hosts
from memkube.controllers.kubelet.pod_context import InformedObjects, NodeObjects, PodContext
from memkube.controllers.kubelet.resources.eviction_manager import EvictionManager
from memkube.controllers.kubelet.service_variables import saved_sets, set_numbers
from memkube.controllers.kubelet.storage.token_files import has_fixed_token, runs_programs, token_keys
from memkube.controllers.kubelet.storage.volume_objects import VolumeObjects, next_sync
from memkube.controllers.nodes.description import KUBELET_PORT
from memkube.controllers.nodes.simulated_node import SimulatedNode
from memkube.controllers.nodes.simulated_nodes import SimulatedNodes
from memkube.registry.declarations.streaming import NodeUnreachable
from memkube.registry.objects.stored import StoredObject

if TYPE_CHECKING:
    # The modules that run pods, and the types of pods, are large, so they are imported with the first pod.
    from memkube.apis.core.v1.pods.types import Pod
    from memkube.controllers.kubelet.connections.cluster_network import ClusterNetwork
    from memkube.controllers.kubelet.connections.pod_connections import PodConnections
    from memkube.controllers.kubelet.containers.behavior import ContainerRule
    from memkube.controllers.kubelet.containers.setting import Setting
    from memkube.controllers.kubelet.pod import SimulatedPod
    from memkube.controllers.kubelet.resources.eviction_ranking import EvictionCandidate
    from memkube.controllers.kubelet.resources.node_admission import NodeAdmission
    from memkube.controllers.kubelet.resources.preemption import Preemptable, Preemption
    from memkube.controllers.kubelet.resources.resource_usage import SimulatedUsage
    from memkube.controllers.kubelet.storage.persistent_files import PersistentFiles

_MOST_REJECTED: Final = 3
"""Number of pods that a node rejects at one instant. Further pods wait."""
_REJECTED_PAUSE: Final = 1.0
_NO_ROOM: Final = (
    "Unexpected error while attempting to recover from admission failure: "
    "preemption: error finding a set of pods to preempt"
)


class Kubelet:
    """The kubelets of all simulated nodes, which run the nodes' pods."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._clock = runtime.clock
        self._client = runtime.client_of("kubelet")
        self._resource = runtime.registry.find("", "v1", "pods").resource
        self.nodes = runtime.cloud = SimulatedNodes(runtime)
        """The simulated nodes."""
        self.rules = ContainerRules()
        """Rules for the behavior of simulated containers, which users have added."""
        self._objects = InformedObjects(runtime)
        self._in_volumes = VolumeObjects()
        # Create the informer of EndpointSlices now: the program of the first pod may need them at once.
        runtime.informers.of("discovery.k8s.io", "v1", "endpointslices")
        self._has_started = False
        self._pods = runtime.informers.of("", "v1", "pods")
        self._by_node = runtime.pods_by_node
        self._queue = runtime.queue("kubelet", self._sync)
        self._hosts = Hosts(runtime, self.nodes)
        self._held = HeldPods(self._pods, runtime.restored.revision_shift, self._restored)
        self._files_left: Sequence[Document] = ()
        """Saved files of PersistentVolumes from before a restart or restore, until the first pod runs."""
        self._files: PersistentFiles | None = None
        self._lacking: set[PodKey] = set()
        """Keys of the pods that wait for missing objects, such as Secrets."""
        self.evictions = EvictionManager(runtime, self.nodes, self._eviction_candidates, self._evict, self.rules)
        """Evicts pods from nodes under pressure."""
        self._ruled: set[PodKey] = set()
        """Keys of the pods that are selected by a changed rule, and were not processed since the change."""
        self._rejected: defaultdict[str, deque[datetime]] = defaultdict(partial(deque, maxlen=_MOST_REJECTED))
        """Times at which each node last rejected pods, by the name of the node."""
        self._remember()
        self.rules.subscribe(self._rule_changed)
        runtime.closing.append(self.rules.close)
        runtime.started.append(self._start)
        runtime.closing.append(self._close)
        runtime.staged_kinds.subscribe(self._kind_staged)
        self._pods.subscribe(self._pod_changed)
        self.nodes.subscribe(self._node_changed)
        self.nodes.on_reboot(self._node_rebooted)
        self._objects.subscribe(self._object_changed)
        runtime.informers.of("", "v1", "nodes").subscribe(self._attachments_changed)
        self._in_volumes.subscribe(self._pods, self._objects.volume_sources, self._volume_changed)

    def simulated(self, pod: "Pod") -> "SimulatedPod | None":
        """Return the SimulatedPod of a Pod. Raises NodeUnreachable if the kubelet of its node does not respond."""
        machine = self.nodes.get(pod.spec.nodeName)
        if machine is not None and machine.is_silent:
            host = f"{machine.host_ip}:{KUBELET_PORT}"
            why = "i/o timeout" if machine.partitioned else "connect: connection refused"
            raise NodeUnreachable(host, why)
        return self._running(pod)

    def _reached(self, pod: "Pod", node: str) -> "SimulatedPod | None":
        """Return the SimulatedPod of a Pod, for a request from another pod on `node`.

        Raises NodeUnreachable if the network between the pods is cut, or if the node of the requested pod has failed.
        """
        machine, other = self.nodes.get(pod.spec.nodeName), self.nodes.get(node)
        if machine is not None and machine is other and not machine.failed:
            return self._running(pod)
        if other is not None and other.partitioned:
            raise NodeUnreachable(pod.status.podIP, "i/o timeout")
        return self.simulated(pod)

    def _running(self, pod: "Pod") -> "SimulatedPod | None":
        held = self._held.find(PodKey(pod.metadata.namespace, pod.metadata.name), pod)
        return held.pod if held is not None and held.pod.uid == pod.metadata.uid else None

    @cached_property
    def connections(self) -> "PodConnections":
        """Exec, attach and port-forward sessions, and logs, of the simulated pods."""
        from memkube.controllers.kubelet.connections.pod_connections import PodConnections  # noqa: PLC0415  imported with the first pod

        return PodConnections(
            self.simulated,
            self._touched,
            self._request_tokens,
            self.rules,
            self._clock,
            self._runtime.options.sessions_per_pod,
        )

    @cached_property
    def _network(self) -> "ClusterNetwork":
        """The network through which simulated pods reach services and each other."""
        from memkube.controllers.kubelet.connections.cluster_network import ClusterNetwork  # noqa: PLC0415  imported with the first pod

        return ClusterNetwork(self._runtime, self._reached, self.rules)

    @cached_property
    def _admission(self) -> "NodeAdmission":
        """Decides whether nodes accept new pods."""
        from memkube.controllers.kubelet.resources.node_admission import NodeAdmission  # noqa: PLC0415  imported with the first pod

        admission = NodeAdmission(self._runtime.informers.of("", "v1", "nodes"))
        # Count the pods that run already, including pods from a snapshot whose saved state was not decoded yet.
        for node in self._by_node.nodes():
            for stored in self._by_node.on(node):
                key = PodKey(stored.namespace, stored.name)
                held = self._held.get(key)
                if key in self._held.undecoded if held is None else held.pod.phase in ("Pending", "Running"):
                    admission.add(stored, node)
        return admission

    @cached_property
    def _deferred(self) -> set[PodKey]:
        """Keys of the pods whose resize is deferred until their node has enough resources."""
        return set()

    @cached_property
    def _preemptions(self) -> "dict[PodKey, Preemption]":
        """Preemptions by the keys of the critical pods that wait for room on their nodes."""
        return {}

    @cached_property
    def resource_usage(self) -> "SimulatedUsage":
        """Current CPU and memory usage of the simulated pods and nodes."""
        from memkube.controllers.kubelet.resources.resource_usage import SimulatedUsage  # noqa: PLC0415  imported with the first pod

        return SimulatedUsage(self._pods, self.nodes, self.rules, self._clock)

    def _start(self) -> None:
        self._hosts.adopt(self._pods)
        self._has_started = True

    def _remember(self) -> None:
        """Restore the kubelet's state from a snapshot, and register the functions that save it in later snapshots."""
        keep = self._runtime.keep
        keep(BEHAVIORS, self._saved_rules)
        unfollow = self._runtime.registry.shared_state.follow(BEHAVIORS, self.rules.take)
        self._runtime.closing.append(unfollow)
        self._hosts.restore(keep("kubelets", self._hosts.saved))
        self._files_left = keep("persistent-files", self._saved_files)
        self._in_volumes.restore(keep("immutable-objects", self._in_volumes.saved))
        self._objects.service_links.restore(keep(SERVICE_VARIABLES, self._saved_service_variables))
        for saved in keep("pods", self._saved_pods):
            key = PodKey(saved["namespace"], saved["name"])
            self._held.undecoded[key] = saved
            if saved["queued"]:
                self._held.altered.add(key)
            due = instant_or_none(saved["pod"]["due"])
            if saved["queued"] or saved["pod"]["lacksObjects"]:
                self._queue.add(key)
            elif due is not None:
                self._queue.add_after(key, (due - self._clock.now()).total_seconds())

    @property
    def _persistent(self) -> "PersistentFiles":
        """The files in all PersistentVolumes, which outlast the pods that use the volumes."""
        from memkube.controllers.kubelet.storage.persistent_files import PersistentFiles  # noqa: PLC0415  imported with the first pod

        if self._files is None:
            volumes = self._runtime.informers.of("", "v1", "persistentvolumes")
            self._files, self._files_left = PersistentFiles(volumes, self._files_left), ()
        return self._files

    def _saved_files(self) -> Sequence[Document]:
        return self._files_left if self._files is None else self._files.saved()

    def _saved_rules(self) -> list[Document]:
        return [{"name": name, "rule": rule.saved()} for name, rule in self.rules.items()]

    def _saved_pods(self) -> list[Document]:
        return self._held.saved(self._queue.has)

    def _saved_service_variables(self) -> Sequence[Document]:
        links, undecoded = self._objects.service_links, self._held.undecoded.values()
        restored = (links.restored(number) for saved in undecoded for number in set_numbers(saved["pod"]))
        return saved_sets([*restored, *(found for held in self._held for found in held.pod.service_variables)])

    def _restored(self, key: PodKey, saved: Document, pod: "Pod") -> "tuple[Host, SimulatedPod] | None":
        """Decode the saved state of a simulated pod, which comes from before a restart or from a snapshot.

        `saved` is this state as JSON data, `key` the namespace and name of the pod, and `pod` the present Pod object.
        Returns a pair: the state that the pods of its node share, and the pod; None if the node does not exist.
        """
        from memkube.controllers.kubelet.saving import KubeletState, restored_pod  # noqa: PLC0415  imported with the first pod

        machine = self.nodes.get(saved["node"])
        if machine is None:
            return None
        host = self._hosts.of(machine)
        state = KubeletState(self._runtime.options, self._persistent, self._objects.service_links.restored)
        restored = restored_pod(saved["pod"], pod, host.images, state)
        restored.use_network(self._network.of(key.namespace, key.name, machine.name))
        return host, restored

    def _close(self) -> None:
        """Close the logs of all pods, so that requests which follow a log end."""
        for held in self._held:
            held.pod.close_logs()
        self._held.close()

    def _touched(self, pod: "Pod") -> None:
        self._queue.add(PodKey(pod.metadata.namespace, pod.metadata.name))

    def _pod_changed(self, old: StoredObject | None, new: StoredObject | None) -> None:
        pod = new or old
        assert pod is not None
        if self.nodes.get(pod.document["spec"].get("nodeName", "")) is None:
            return
        key = PodKey(pod.namespace, pod.name)
        held, saved = self._held.get(key), self._held.undecoded.get(key)
        if saved is not None and new is not None and self._held.last_written_revision(saved) == new.resource_version:
            return
        if held is None or new is None or not held.is_own_write(new):
            if held is not None and held.seen is None and old is not None and new is not None and _is_updated(old, new):
                held.pod.remount_at(self._clock.now())
            if held is not None or saved is not None:
                self._held.altered.add(key)
            self._queue.add(key)

    def _kind_staged(self, kind: StagedKind) -> None:
        """If `kind` is Pod, queue all pods of simulated nodes, because the kubelet must begin or cease to run them.

        This is called when the first Stage for a kind is created, or the last one is deleted: the kubelet does not run
        pods while Stages apply to them.
        """
        if kind != PODS:
            return
        if PODS not in self._runtime.staged_kinds:
            self._hosts.adopt(self._pods)
        for pod in self._pods:
            if self.nodes.get(pod.document["spec"].get("nodeName", "")) is not None:
                self._queue.add(PodKey(pod.namespace, pod.name))

    def _node_changed(self, name: str) -> None:
        machine, now = self.nodes.get(name), self._clock.now()
        for key, held in self._held.on(name).items():
            if machine is None:
                self._forget(key, held)
            elif not machine.partitioned and held.seen is not None:
                held.seen = None
                held.pod.remount_at(now)
            elif machine.partitioned and held.seen is None:
                stored = self._pods.get(*key)
                held.seen = stored if stored is not None and stored.uid == held.pod.uid else None
            self._queue.add(key)
        if machine is None:
            self._held.forget_undecoded_on(name)
            self._hosts.forget(name)
        for pod in self._by_node.on(name):
            self._queue.add(PodKey(pod.namespace, pod.name))

    def _node_rebooted(self, name: str) -> None:
        for key, held in self._held.on(name).items():
            stored = held.seen or self._pods.get(*key)
            if stored is not None:
                held.pod.reboot(self._model_of(stored), self._clock.now())
                self._queue.add(key)

    def _attachments_changed(self, old: StoredObject | None, new: StoredObject | None) -> None:
        """Retry the pods on a node that wait for volumes, when the volumes attached to the node have changed."""
        if old is None or new is None:
            return
        before, after = (node.document["status"].get("volumesAttached") for node in (old, new))
        if before != after:
            for pod in self._by_node.on(new.name):
                key = PodKey(pod.namespace, pod.name)
                held = self._held.get(key)
                if held is not None and held.pod.lacks_objects:
                    held.pod.hurry()
                    self._queue.add(key)

    def _object_changed(self, namespace: str) -> None:
        for key in sorted(key for key in self._lacking if key.namespace == namespace):
            held = self._held.get(key)
            if held is not None:
                held.pod.hurry()
                self._queue.add(key)

    def _rule_changed(self, rule: "ContainerRule") -> None:
        for key in self._held.all_keys():
            stored = self._pods.get(*key)
            if stored is None:
                continue
            for container in stored.document["spec"]["containers"]:
                if rule.selects(key.namespace, stored.labels, container["name"], container["image"]):
                    self._ruled.add(key)
                    self._queue.add(key)

    def _volume_changed(self, key: PodKey) -> None:
        """Schedule an update of a pod's volumes at its next sync: a ConfigMap or Secret in a volume has changed."""
        if not self._has_started:
            return
        held, saved, now = self._held.get(key), self._held.undecoded.get(key), self._clock.now()
        if held is not None and held.pod.started is not None:
            held.pod.remount_at(due := next_sync(held.pod.started, now))
        elif saved is not None and (started := instant_or_none(saved["pod"]["started"])) is not None:
            saved["pod"]["remounts"] = due = next_sync(started, now)
        else:
            return
        self._queue.add_after(key, (due - now).total_seconds())

    async def _sync(self, key: PodKey) -> None:
        if PODS in self._runtime.staged_kinds:
            self._release_pod(key)
        else:
            await self._play(key)

    async def _play(self, key: PodKey) -> None:
        stored, held = self._pods.get(*key), self._held.get(key) or self._held.find_cut_off(key)
        saved = self._held.undecoded.get(key)
        if held is not None and held.is_cut_off(stored):
            await self._run_cut_off(key, held)
            return
        if saved is not None and (stored is None or stored.uid != saved["pod"]["uid"]):
            del self._held.undecoded[key]
            self._held.altered.discard(key)
            self._hosts.give_back(saved["node"], saved["pod"]["uid"])
        if held is not None and (stored is None or stored.uid != held.pod.uid):
            self._forget(key, held)
            held = None
        if stored is None:
            self._end_preemption(key)
            return
        machine = self.nodes.get(stored.document["spec"].get("nodeName", ""))
        if machine is None or machine.is_silent or (held is None and self._postpones(key, machine)):
            return
        pod = self._model_of(stored)
        held = self._held.find(key, pod)
        if held is None and pod.status.phase in ("Succeeded", "Failed") and pod.metadata.deletionTimestamp is None:
            # The pod has ended on an earlier server, or has failed before it could run: do not run it.
            return
        if held is None:
            if await self._waits_for_room(key, stored, pod, machine):
                return
            held = self._accept(pod, machine)
            self._held.put(key, held)
            stored = await self._begin(held, stored, pod)
            pod = self._model_of(stored)
        await self._renew_tokens(held, pod)
        for report in self._step(key, held, pod):
            await self._record(held, stored, report)
        stored = await self._write_status(held, stored, pod)
        if pod.metadata.deletionTimestamp is not None and not held.pod.is_running:
            await self._remove(held, stored)
        elif (due := held.pod.due) is not None:
            self._queue.add_after(key, (due - self._clock.now()).total_seconds())
        # The steps of many pods may be due at once: let the event loop serve requests in between.
        await asyncio.sleep(0)

    async def _begin(self, held: HeldPod, stored: StoredObject, pod: "Pod") -> StoredObject:
        """Begin to run a new pod, or let it fail if its node does not accept it.

        A pod that another server ran is continued from its status. `held` is the state that the kubelet keeps about the
        pod. Returns the newest revision of the Pod object, which the kubelet may have written.
        """
        if pod.status.containerStatuses:
            await self._renew_tokens(held, pod)
            held.pod.take_over(self._setting(held, pod, []))
            self._admission.add(stored, held.host.machine.name)
            return stored
        await self._admit(held, stored, pod)
        if pod.metadata.deletionTimestamp is not None:
            return stored
        if pod.status.startTime is None:
            held.pod.start_at(Time.at(self._clock.now()).instant)
        return await self._write_status(held, stored, pod)

    def _model_of(self, stored: StoredObject) -> "Pod":
        """Decode a stored pod into its model.

        Callers must not change the model, because the models of pods with equal specs share one spec.
        """
        return cast("Pod", self._runtime.registry.store(self._resource).seen(stored))

    def _step(self, key: PodKey, held: HeldPod, pod: "Pod") -> list[Report]:
        """Perform the steps of a pod and its containers that are due.

        `held` is the state that the kubelet keeps about the pod. Returns the Events to record about the pod.
        """
        reports: list[Report] = []
        setting = self._setting(held, pod, reports)
        if key in self._ruled:
            held.pod.follow_rules(setting)
        if key in self._ruled or key in self._held.altered:
            self._ruled.discard(key)
            self._held.altered.discard(key)
            held.pod.resume_probes(setting.now)
        held.pod.step(setting)
        (self._lacking.add if held.pod.lacks_objects else self._lacking.discard)(key)
        (self._deferred.add if held.pod.deferral is not None else self._deferred.discard)(key)
        if held.pod.has_ended:
            self._free_resources(held.pod.uid, held.host.machine.name)
        elif any(report.reason == "ResizeStarted" for report in reports):
            self._retry_resizes()
        return reports

    def _free_resources(self, uid: str, node: str) -> None:
        """Free the resources of a pod that has ended, and queue the pods that may wait for them.

        These are pods with a deferred resize, and critical pods that wait for the end of other pods. `uid` is the uid
        of the pod that has ended, and `node` the name of its node.
        """
        self._admission.remove(uid, node)
        self._retry_resizes()
        for key in self._preemptions:
            self._queue.add(key)

    def _retry_resizes(self) -> None:
        """Queue the pods whose resize is deferred, in the order in which their nodes retry them."""
        if self._deferred:
            for _, key in sorted((self._retry_order(key), key) for key in self._deferred):
                self._queue.add(key)

    def _retry_order(self, key: PodKey) -> tuple[bool | int | float, ...]:
        """Return the sort key of a pod whose resize is deferred; empty for a pod that does not exist any more."""
        from memkube.controllers.kubelet.resources.resizing import retry_order  # noqa: PLC0415  imported with the first pod

        held, stored = self._held.get(key), self._pods.get(*key)
        if held is None or stored is None:
            return ()
        pod = self._model_of(stored)
        return retry_order(pod, held.pod.allocated_spec(pod.spec))

    async def _run_cut_off(self, key: PodKey, held: HeldPod) -> None:
        """Perform the due steps of a pod whose node is cut off from the API server.

        `held` is the state that the kubelet keeps about the pod. The steps follow the last Pod object that the kubelet
        saw. The pod's status is not written, and Events are dropped.
        """
        assert held.seen is not None
        if not held.host.machine.failed:
            pod = self._model_of(held.seen)
            self._step(key, held, pod)
            # A container that has ended restarts in the next step, because the kubelet first writes the pod's status.
            # No status is written here, so perform the next step at once.
            while held.pod.has_unreported_end:
                self._step(key, held, pod)
            now = self._clock.now()
            # Queue the pod for its next step in the future. Steps that are still due now, such as the renewal of
            # tokens, must wait for the API server.
            if (due := min((due for due in held.pod.dues if due > now), default=None)) is not None:
                self._queue.add_after(key, (due - now).total_seconds())
        await asyncio.sleep(0)

    async def _record(self, held: HeldPod, stored: StoredObject, report: Report) -> None:
        """Record the Event `report` about the Pod `stored`, unless its kubelet cannot reach the API server now.

        `held` is the state that the kubelet keeps about the pod.
        """
        if not held.host.machine.is_silent:
            await held.host.recorder.record(stored, report)

    async def _renew_tokens(self, held: HeldPod, pod: "Pod") -> None:
        """Request tokens for the pod's volumes if they are missing or will expire soon.

        `held` is the state that the kubelet keeps about the pod.
        """
        if held.pod.phase in ("Succeeded", "Failed") or pod.metadata.deletionTimestamp is not None:
            return
        keys, tokens = sorted(set(token_keys(pod.spec.volumes))), held.pod.tokens
        if not keys:
            return
        from memkube.controllers.kubelet.storage.token_manager import defer_tokens, renew_tokens  # noqa: PLC0415  imported with the first token

        is_read = any(token.data for token in tokens.values()) or runs_programs(pod.spec) or has_fixed_token(pod.spec)
        accounts = self._runtime.registry.find("", "v1", "serviceaccounts").resource
        await (renew_tokens if is_read else defer_tokens)(self._client, accounts, pod, keys, tokens, self._clock.now())

    async def _request_tokens(self, pod: "Pod") -> None:
        """Request a pod's tokens before a client runs a program in it, unless they were requested before."""
        held = self._held.find(PodKey(pod.metadata.namespace, pod.metadata.name), pod)
        keys = [] if held is None else [key for key, token in held.pod.tokens.items() if token.renews is None]
        if held is not None and keys:
            from memkube.controllers.kubelet.storage.token_manager import renew_tokens  # noqa: PLC0415  imported with the first token

            accounts = self._runtime.registry.find("", "v1", "serviceaccounts").resource
            await renew_tokens(self._client, accounts, pod, keys, held.pod.tokens, self._clock.now())
            self._touched(pod)

    def _accept(self, pod: "Pod", machine: SimulatedNode) -> HeldPod:
        from memkube.controllers.kubelet.pod import SimulatedPod  # noqa: PLC0415  imported with the first pod

        host = self._hosts.of(machine)
        address = machine.host_ip if pod.spec.hostNetwork else host.addresses.take(pod.metadata.uid)
        return HeldPod(host, SimulatedPod(pod, address, host.images))

    def _postpones(self, key: PodKey, machine: SimulatedNode) -> bool:
        """If the node has just rejected several pods, queue a new pod for later, and return True.

        Controllers replace rejected pods at once, and the node rejects the new pods again. Without a pause, this would
        never end on a clock that moves only when the server has nothing left to do (SteppedClock).
        """
        if self._rejected[machine.name].count(self._clock.now()) < _MOST_REJECTED:
            return False
        self._queue.add_after(key, _REJECTED_PAUSE)
        return True

    async def _waits_for_room(self, key: PodKey, stored: StoredObject, pod: "Pod", machine: SimulatedNode) -> bool:
        """Preempt other pods if a new pod is critical and its node lacks resources for it.

        Returns True while the pod must wait until the other pods have ended. `stored` is the Pod object, and `pod` its
        model.
        """
        from memkube.controllers.kubelet.resources.eviction_ranking import is_critical  # noqa: PLC0415  imported with the first pod

        preemption = self._preemptions.get(key)
        if not is_critical(pod) or _has_begun(pod) or (preemption is not None and preemption.uid != stored.uid):
            self._end_preemption(key)
            return False
        if preemption is None:
            preemption = self._preemption(stored, pod, machine.name)
            if preemption is None:
                return False
            self._preemptions[key] = preemption
            if not preemption.problem:
                self._admission.add(stored, machine.name)
        if (victim := preemption.next_victim(self._is_active)) is not None:
            await self._preempt(victim.pod)
        return bool(preemption.victims)

    def _end_preemption(self, key: PodKey) -> None:
        """Free the resources that a node keeps for a critical pod, because the pod does not wait for them any more."""
        preemption = self._preemptions.pop(key, None)
        if preemption is not None:
            self._free_resources(preemption.uid, preemption.node)

    def _preemption(self, stored: StoredObject, pod: "Pod", node: str) -> "Preemption | None":
        """Choose the pods that a node preempts for a critical pod.

        Returns None if the node has enough resources, or if it refuses the pod for another reason. `stored` is the Pod
        object, and `pod` its model.
        """
        from memkube.controllers.kubelet.resources import preemption  # noqa: PLC0415  imported with the first critical pod

        lacking = preemption.lacking_amounts(self._admission.lacking(stored, node))
        if not lacking:
            return None
        candidates = []
        for other in sorted(self._by_node.on(node), key=lambda other: (other.namespace, other.name)):
            requests, model = self._admission.requests(other.uid, node), self._model_of(other)
            if requests is not None and preemption.is_preemptable(pod, model):
                candidates.append(preemption.Preemptable(model, requests))
        try:
            return preemption.Preemption(stored.uid, node, preemption.pods_to_preempt(candidates, lacking))
        except preemption.CannotPreempt as problem:
            return preemption.Preemption(stored.uid, node, problem=str(problem))

    def _is_active(self, victim: "Preemptable") -> bool:
        """True if a pod that the node preempts has not ended yet."""
        metadata = victim.pod.metadata
        held = self._held.get(PodKey(metadata.namespace, metadata.name))
        return held is not None and held.pod.uid == metadata.uid and not held.pod.has_ended

    async def _preempt(self, pod: "Pod") -> None:
        """Start the termination of a pod to free its resources for a critical pod, and record an Event."""
        from memkube.controllers.kubelet.pod import PREEMPTED, PREEMPTING  # noqa: PLC0415  imported with the first pod

        key = PodKey(pod.metadata.namespace, pod.metadata.name)
        held, stored = self._held.get(key), self._pods.get(*key)
        if held is not None and stored is not None:
            await self._record(held, stored, Report("Warning", PREEMPTING, PREEMPTED))
            held.pod.preempt(pod, self._clock.now())
            self._queue.add(key)

    async def _admit(self, held: HeldPod, stored: StoredObject, pod: "Pod") -> None:
        """Mark a new pod as failed if its node rejects it: the node is under pressure, or the pod does not fit.

        `stored` is the Pod object and `pod` its model; `held` is the state that the kubelet keeps about the pod.
        """
        if pod.status.startTime is not None or pod.status.phase in ("Succeeded", "Failed"):
            return
        from memkube.controllers.kubelet.resources.eviction_ranking import is_admitted, is_critical  # noqa: PLC0415  imported with the first pod

        machine = held.host.machine
        preemption = self._preemptions.pop(PodKey(stored.namespace, stored.name), None)
        if preemption is not None and preemption.problem:
            reason, message = "UnexpectedAdmissionError", f"{_NO_ROOM}: {preemption.problem}"
        elif is_admitted(pod, machine.pressures):
            refusal = self._admission.admit(stored, machine.name, is_critical=is_critical(pod))
            if refusal is None:
                return
            reason, message = refusal
        else:
            reason, message = "Evicted", _under_pressure(machine)
        held.pod.reject(reason, message, self._clock.now())
        self._rejected[machine.name].append(self._clock.now())
        await held.host.recorder.record(stored, Report("Warning", reason, message))

    def _eviction_candidates(self, node: str) -> "list[EvictionCandidate]":
        """Return the pods on a node in the phase Pending or Running, with their resource usage."""
        from memkube.controllers.kubelet.resources.eviction_ranking import candidate  # noqa: PLC0415  imported with the first pod

        found = []
        for stored in sorted(self._by_node.on(node), key=lambda pod: (pod.namespace, pod.name)):
            pod = self._model_of(stored)
            held = self._held.find(PodKey(stored.namespace, stored.name), pod)
            if held is not None and held.pod.uid == stored.uid and held.pod.phase in ("Pending", "Running"):
                found.append(candidate(pod, held.pod, self.resource_usage.memory(stored.document)))
        return found

    async def _evict(self, pod: "Pod", message: str) -> bool:
        """Evict a pod because its node is under pressure. Returns False if the pod was deleted meanwhile."""
        key = PodKey(pod.metadata.namespace, pod.metadata.name)
        held, stored = self._held.get(key), self._pods.get(*key)
        if held is None or stored is None or stored.uid != held.pod.uid:
            return False
        await self._record(held, stored, Report("Warning", "Evicted", message))
        held.pod.evict(message, self._clock.now())
        self._queue.add(key)
        return True

    def _forget(self, key: PodKey, held: HeldPod) -> None:
        self._held.remove(key)
        self._lacking.discard(key)
        self._ruled.discard(key)
        self._deferred.discard(key)
        held.pod.abandon(self._clock.now())
        self._free_resources(held.pod.uid, held.host.machine.name)
        held.host.addresses.give_back(held.pod.uid)

    def _release_pod(self, key: PodKey) -> None:
        """Stop simulating a pod, without changing its Pod object: Stages change its status from now on."""
        held, saved = self._held.get(key), self._held.undecoded.pop(key, None)
        if saved is not None:
            self._hosts.give_back(saved["node"], saved["pod"]["uid"])
        if held is not None:
            held.pod.close_logs()
            self._forget(key, held)

    def _setting(self, held: HeldPod, pod: "Pod", reports: list[Report]) -> "Setting":
        from memkube.controllers.kubelet.connections.kubelet_servers import KubeletServers  # noqa: PLC0415  imported with the first pod
        from memkube.controllers.kubelet.containers.behavior import container_behavior  # noqa: PLC0415  imported with the first pod
        from memkube.controllers.kubelet.containers.setting import Setting  # noqa: PLC0415  imported with the first pod

        machine = held.host.machine
        objects = NodeObjects(machine.name, self._objects, self._in_volumes)
        context = PodContext(pod, held.pod.pod_ip, machine.host_ip, objects, machine.shape.capacity, held.pod.tokens)
        return Setting(
            now=self._clock.now(),
            context=context,
            volumes=held.pod.volumes,
            written=held.pod.written,
            persistent=self._persistent,
            behavior=lambda container: container_behavior(self.rules, pod, container),
            report=reports.append,
            network=self._network.of(pod.metadata.namespace, pod.metadata.name, machine.name),
            servers=KubeletServers(self._network, pod, held.pod, machine.host_ip, self.rules),
            resize_problem=partial(self._resize_problem, held, pod),
            memory=partial(self._memory_of, held, pod),
            image_waits=held.pod.image_volumes.waits,
            options=self._runtime.options,
        )

    def _memory_of(self, held: HeldPod, pod: "Pod") -> Mapping[str, int]:
        """Return the bytes of memory that each running container of a pod uses, by name."""
        stored = held.seen or self._pods.get(pod.metadata.namespace, pod.metadata.name)
        return {} if stored is None else self.resource_usage.memory(stored.document)

    def _resize_problem(self, held: HeldPod, pod: "Pod") -> str:
        """Return why the node of a pod does not accept the pod's changed resources; empty if the pod gets them."""
        from memkube.controllers.kubelet.resources.eviction_ranking import is_admitted  # noqa: PLC0415  imported with the first pod

        key, machine = PodKey(pod.metadata.namespace, pod.metadata.name), held.host.machine
        stored = held.seen or self._pods.get(*key)
        if stored is None:
            return ""
        if not is_admitted(pod, machine.pressures):
            return _under_pressure(machine)
        return self._admission.resize_problem(stored, machine.name)

    async def _write_status(self, held: HeldPod, stored: StoredObject, pod: "Pod") -> StoredObject:
        """Write the status of a pod, unless it is unchanged or a postStart hook blocks the pod.

        `held` is the state that the kubelet keeps about the pod. `pod` is the model of `stored`. Returns the newest
        revision of the Pod object.
        """
        if held.pod.is_blocked:
            return stored
        from memkube.apis.core.v1.pods.types import Pod  # noqa: PLC0415  imported with the first pod
        from memkube.controllers.kubelet.pod_status import NodeView, pod_status  # noqa: PLC0415  imported with the first pod

        machine = held.host.machine
        node = NodeView(machine.host_ip, self._clock.now(), partial(self._shown, machine.name))
        status = pod_status(pod, held.pod, node)
        if status == pod.status:
            return stored

        def change(obj: ApiObject) -> None:
            assert isinstance(obj, Pod)
            is_same = obj.metadata.resourceVersion == pod.metadata.resourceVersion
            obj.status = status if is_same else pod_status(obj, held.pod, node)

        try:
            written = await self._client.update(self._resource, stored, change, subresource="status")
        except ApiError as error:
            if error.reason != "NotFound":
                raise
            return stored
        held.note_write(written)
        return written

    def _shown(self, node: str, instant: datetime) -> Time:
        """Convert a time of the server's clock to a time of the node's clock, which an injected fault may shift."""
        faults = self._runtime.registry.faults
        return Time.at(instant + faults.drift(node, instant) if faults.drifting else instant)

    async def _remove(self, held: HeldPod, stored: StoredObject) -> None:
        """Delete the Pod object of a terminating pod whose containers have all ended, unless this was done before.

        `held` is the state that the kubelet keeps about the pod.
        """
        if held.is_removed:
            return
        options = DeleteOptions(gracePeriodSeconds=0, preconditions=Preconditions(uid=stored.uid))
        try:
            await self._client.delete(self._resource, stored.namespace, stored.name, options)
        except ApiError as error:
            if error.reason not in ("NotFound", "Conflict"):
                raise
        held.is_removed = True


def _has_begun(pod: "Pod") -> bool:
    """True if a node has accepted or rejected a pod, or if the pod is being deleted."""
    return pod.status.startTime is not None or pod.metadata.deletionTimestamp is not None


def _under_pressure(machine: SimulatedNode) -> str:
    return f"The node had condition: [{' '.join(machine.pressures)}]. "


def _is_updated(old: StoredObject, new: StoredObject) -> bool:
    """True if a change of a Pod requires its kubelet to sync the pod at once (``podsDifferSemantically``)."""
    before, after = old.document["metadata"], new.document["metadata"]
    fields = ("labels", "annotations", "generation")
    return any(before.get(field) != after.get(field) for field in fields)
