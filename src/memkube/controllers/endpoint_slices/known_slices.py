"""Index of the EndpointSlices that one controller manages, and a record of the controller's own writes."""

from collections.abc import Callable, Collection
from typing import Final

from memkube.controllers.endpoint_slices.slices import MANAGED_BY, SERVICE_NAME, SLICES
from memkube.controllers.endpoints.selected_pods import Key
from memkube.controllers.framework.runtime import Runtime
from memkube.registry.objects.stored import StoredObject

_DELETION_EXPECTED: Final = -1


class KnownSlices:
    """The newest known EndpointSlices that a controller manages, by the Service named in their label.

    The controller reports each slice that it writes. If an informer then has a slice with a generation that the
    controller did not report, another client has changed this slice. In this case `changed` is called with the key of
    the slice's Service (``EndpointSliceTracker``).
    """

    def __init__(self, runtime: Runtime, manager: str, changed: Callable[[Key], None]) -> None:
        self._manager = manager
        self._changed = changed
        self._slices: dict[Key, dict[str, StoredObject]] = {}
        self._services: dict[Key, Key] = {}
        """The Service of each EndpointSlice in the index, by the slice's namespace and name."""
        self._generations: dict[Key, dict[str, int]] = {}
        """By Service and uid: the generation of each slice that the controller has written, or -1 for a deletion."""
        runtime.informers.of(*SLICES).subscribe(self._on_slice)

    def of(self, service: Key) -> list[StoredObject]:
        """Return the newest known EndpointSlices of a Service."""
        return list(self._slices.get(service, {}).values())

    def is_stale(self, service: Key, slices: Collection[StoredObject]) -> bool:
        """True if `slices`, the EndpointSlices of a Service, do not show all writes of the controller.

        This is so if a slice that the controller has written is missing or has an older generation, or if a slice that
        it has deleted is still there.

        If another client removes a slice from the Service by changing its labels, the slice counts as missing until it
        is deleted.
        """
        known = {stored.uid: _generation(stored) for stored in slices}
        for uid, written in self._generations.get(service, {}).items():
            if written == _DELETION_EXPECTED:
                if uid in known:
                    return True
            elif uid not in known or written > known[uid]:
                return True
        return False

    def is_tracked(self, stored: StoredObject) -> bool:
        """True if the controller has reported a write or deletion of this EndpointSlice."""
        return stored.uid in self._generations.get(_service(stored), {})

    def wrote(self, stored: StoredObject) -> None:
        """Record that the controller has written an EndpointSlice, or has found the slice up to date."""
        self._generations.setdefault(_service(stored), {})[stored.uid] = _generation(stored)
        self._put(stored)

    def deleted(self, stored: StoredObject) -> None:
        """Record that the controller itself, and not another client, has deleted an EndpointSlice."""
        self._generations.setdefault(_service(stored), {})[stored.uid] = _DELETION_EXPECTED
        self._remove(stored)

    def forget(self, service: Key) -> None:
        """Remove the records of the EndpointSlices that the controller has written for a Service."""
        self._generations.pop(service, None)

    def _on_slice(self, old: StoredObject | None, new: StoredObject | None) -> None:
        if new is None:
            assert old is not None
            self._remove(old)
            if self._manages(old) and self.is_tracked(old) and not self._was_expected(old):
                self._report(old)
            return
        self._put(new)
        if old is not None and _service(old) != _service(new):
            self._report(new)
            self._report(old)
            return
        manager_changed = old is not None and self._manages(old) != self._manages(new)
        if manager_changed or (self._manages(new) and self._is_foreign(new)):
            self._report(new)

    def _manages(self, stored: StoredObject) -> bool:
        return stored.labels.get(MANAGED_BY) == self._manager

    def _is_foreign(self, stored: StoredObject) -> bool:
        """True if another client has written the newest revision of an EndpointSlice."""
        written = self._generations.get(_service(stored), {}).get(stored.uid)
        return written is None or _generation(stored) > written

    def _was_expected(self, stored: StoredObject) -> bool:
        return self._generations[_service(stored)].pop(stored.uid) == _DELETION_EXPECTED

    def _report(self, stored: StoredObject) -> None:
        service = _service(stored)
        if service[1]:
            self._changed(service)

    def _put(self, stored: StoredObject) -> None:
        key = stored.namespace, stored.name
        service = self._services.get(key)
        if service is not None:
            known = self._slices[service][stored.name]
            if known.uid == stored.uid and int(known.resource_version) > int(stored.resource_version):
                return
            self._remove(stored)
        service = _service(stored)
        if self._manages(stored) and service[1]:
            self._services[key] = service
            self._slices.setdefault(service, {})[stored.name] = stored

    def _remove(self, stored: StoredObject) -> None:
        service = self._services.pop((stored.namespace, stored.name), None)
        if service is not None:
            slices = self._slices[service]
            del slices[stored.name]
            if not slices:
                del self._slices[service]


def _service(stored: StoredObject) -> Key:
    return stored.namespace, stored.labels.get(SERVICE_NAME, "")


def _generation(stored: StoredObject) -> int:
    generation: int = stored.document["metadata"].get("generation", 0)
    return generation
