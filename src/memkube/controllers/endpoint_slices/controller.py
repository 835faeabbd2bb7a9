"""Maintains the EndpointSlices of Services that have a selector (``pkg/controller/endpointslice``)."""

from functools import partial
from typing import Final

from memkube.controllers.endpoint_slices.known_slices import KnownSlices
from memkube.controllers.endpoint_slices.reconciler import MANAGER, EndpointSliceReconciler
from memkube.controllers.endpoint_slices.slice_writer import ReconcileFailed
from memkube.controllers.endpoint_slices.topology_cache import NodeZone, TopologyCache
from memkube.controllers.endpoints.selected_pods import Key, SelectedPods
from memkube.controllers.endpoints.trigger_times import TriggerTimes
from memkube.controllers.framework.event_recorder import EventRecorder, Report
from memkube.controllers.framework.runtime import Runtime
from memkube.controllers.framework.work_queue import Retries, TryAgain
from memkube.controllers.workloads.pod_state import is_terminating
from memkube.registry.objects.stored import StoredObject

_RETRIES: Final = Retries(first_delay=1.0, most=15)
_CHANGE_DELAY: Final = 1.0
"""Seconds after another client's change of an EndpointSlice until the slices of its Service are computed again."""


class EndpointSliceController:
    """Computes the EndpointSlices of a Service again when the Service, one of its pods or one of its slices changes."""

    def __init__(self, runtime: Runtime) -> None:
        self._events = EventRecorder(runtime, "endpoint-slice-controller")
        self._queue = runtime.queue("endpoint_slice", self._sync, retries=_RETRIES)
        self._selected = SelectedPods(runtime, self._queue.add)
        self._known = KnownSlices(runtime, MANAGER, partial(self._queue.add_after, seconds=_CHANGE_DELAY))
        self._times = TriggerTimes()
        self._topology = TopologyCache()
        self._zones: dict[str, NodeZone] = {}
        self._zones_changed = False
        self._topology_queue = runtime.queue("endpoint slice topology", self._on_topology)
        self._reconciler = EndpointSliceReconciler(runtime, self._known, self._topology, self._events)
        runtime.informers.of("", "v1", "nodes").subscribe(self._on_node)

    async def _sync(self, key: Key) -> None:
        service, pods = self._selected.services.get(*key), self._selected.of(key)
        if service is None:
            # The Service was deleted. Only drop its cached data: the garbage collector deletes its EndpointSlices.
            self._times.forget(key)
            self._known.forget(key)
            return
        spec = service.document["spec"]
        if spec.get("type") == "ExternalName" or not spec.get("selector"):
            return
        slices = [stored for stored in self._known.of(key) if not is_terminating(stored)]
        if self._known.is_stale(key, slices):
            raise TryAgain
        self._update_topology()
        try:
            await self._reconciler.reconcile(service, pods, slices, self._times.next(service, pods))
        except ReconcileFailed as error:
            message = f"Error updating Endpoint Slices for Service {key[0]}/{key[1]}: {error}"
            await self._events.record(service, Report("Warning", "FailedToUpdateEndpointSlices", message))
            raise TryAgain from error

    def _on_node(self, old: StoredObject | None, new: StoredObject | None) -> None:
        known = new or old
        assert known is not None
        before = self._zones.pop(known.name, None)
        if new is not None:
            now = self._zones[new.name] = NodeZone.of(new)
            if before is not None and (before.is_ready, before.zone) == (now.is_ready, now.zone):
                return
        self._zones_changed = True
        self._topology_queue.add("nodes")

    async def _on_topology(self, _: str) -> None:
        """Recompute the EndpointSlices of Services whose topology hints would overload endpoints of a zone."""
        self._update_topology()
        for key in self._topology.overloaded():
            self._queue.add(key)

    def _update_topology(self) -> None:
        if self._zones_changed:
            self._zones_changed = False
            self._topology.set_nodes(self._zones.values())
