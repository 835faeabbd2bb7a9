"""Copies Endpoints that users create to EndpointSlices (``pkg/controller/endpointslicemirroring``)."""

from typing import Final

from memkube.controllers.endpoint_slices.known_slices import KnownSlices
from memkube.controllers.endpoint_slices.mirror import MANAGER, MirrorReconciler
from memkube.controllers.endpoint_slices.slice_writer import ReconcileFailed
from memkube.controllers.endpoints.selected_pods import SERVICES, Key, selector_of
from memkube.controllers.framework.event_recorder import EventRecorder
from memkube.controllers.framework.runtime import Runtime
from memkube.controllers.framework.work_queue import Retries, TryAgain
from memkube.registry.objects.stored import StoredObject

_ENDPOINTS: Final = ("", "v1", "endpoints")
_RETRIES: Final = Retries(first_delay=1.0, longest_delay=100.0, most=15)
_SKIP: Final = "endpointslice.kubernetes.io/skip-mirror"
_LEADER: Final = "control-plane.alpha.kubernetes.io/leader"


class EndpointSliceMirroringController:
    """Mirrors the Endpoints of Services without a selector in EndpointSlices.

    Endpoints with the label ``skip-mirror``, leader election records and Endpoints without a Service are not mirrored.
    """

    def __init__(self, runtime: Runtime) -> None:
        self._queue = runtime.queue("endpoint_slice_mirroring", self._sync, retries=_RETRIES)
        self._known = KnownSlices(runtime, MANAGER, self._queue.add)
        events = EventRecorder(runtime, "endpoint-slice-mirroring-controller")
        self._mirror = MirrorReconciler(runtime, self._known, events)
        self._endpoints = runtime.informers.of(*_ENDPOINTS)
        self._services = runtime.informers.of(*SERVICES)
        self._endpoints.subscribe(self._on_endpoints)
        self._services.subscribe(self._on_service)

    def _on_endpoints(self, old: StoredObject | None, new: StoredObject | None) -> None:
        for known in (new, old):
            if known is not None and _is_mirrored(known):
                self._queue.add((known.namespace, known.name))

    def _on_service(self, old: StoredObject | None, new: StoredObject | None) -> None:
        known = new or old
        assert known is not None
        if old is not None and new is not None:
            is_concerned = bool(selector_of(old)) != bool(selector_of(new))
        else:
            is_concerned = not selector_of(known)
        if is_concerned:
            self._queue.add((known.namespace, known.name))

    async def _sync(self, key: Key) -> None:
        endpoints, service = self._endpoints.get(*key), self._services.get(*key)
        slices = self._known.of(key)
        if endpoints is None or not _is_mirrored(endpoints) or service is None or selector_of(service):
            self._known.forget(key)
            await self._mirror.delete(slices)
            return
        if self._known.is_stale(key, slices):
            raise TryAgain
        try:
            await self._mirror.reconcile(endpoints, slices)
        except ReconcileFailed as error:
            raise TryAgain from error


def _is_mirrored(endpoints: StoredObject) -> bool:
    annotations = endpoints.document["metadata"].get("annotations") or {}
    return endpoints.labels.get(_SKIP) != "true" and _LEADER not in annotations
