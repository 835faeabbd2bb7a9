"""Deletes pods that use a device with a NoExecute taint (``pkg/controller/devicetainteviction``)."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Final, NamedTuple, TypeAlias

from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.meta.v1.delete_options import DeleteOptions, Preconditions
from memkube.apimachinery.model import Document
from memkube.apimachinery.time import Time
from memkube.apis.core.v1.pods.status import set_condition
from memkube.apis.core.v1.pods.types import Pod, PodCondition
from memkube.apis.core.v1.references import ObjectReference
from memkube.controllers.framework.client import ignoring_absence
from memkube.controllers.framework.event_recorder import EventRecorder, Report
from memkube.controllers.framework.runtime import Runtime
from memkube.controllers.resource_claims.pod_claims import (
    CLAIMS,
    NotCreated,
    allocation_of,
    claim_name,
    claim_references,
    consumers_of,
    is_reserved_for,
    not_for_pod,
)
from memkube.controllers.scheduler.devices.allocated import DeviceId
from memkube.controllers.scheduler.devices.requests import tolerates_taint
from memkube.registry.objects.stored import StoredObject
from memkube.time.clock import written_now

_REASON: Final = "DeviceTaintManagerEviction"
_Key: TypeAlias = tuple[str, str]
"""Namespace and name of an object."""


class _Eviction(NamedTuple):
    """Planned or finished deletion of a pod because of a device taint."""

    uid: str
    due: datetime
    is_done: bool = False


class DeviceTaintEvictionController:
    """Deletes pods that use tainted devices, at once or after the ``tolerationSeconds`` of their requests."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._events = EventRecorder(runtime, "device-taint-eviction-controller")
        self._pods = runtime.informers.of("", "v1", "pods")
        self._claims = runtime.informers.of(*CLAIMS)
        self._pools: dict[tuple[str, str], dict[str, Document]] = {}
        """Specs of ResourceSlices, by name of the slice, for each pool of devices, by driver and name of the pool."""
        self._users: dict[DeviceId, set[_Key]] = {}
        """Keys of the ResourceClaims to which each device is allocated."""
        self._evictions: dict[_Key, _Eviction] = {}
        self._queue = runtime.queue("device taint eviction", self._sync)
        runtime.informers.of("resource.k8s.io", "v1", "resourceslices").subscribe(self._on_slice)
        self._claims.subscribe(self._on_claim)
        self._pods.subscribe(self._on_pod)

    def _on_pod(self, old: StoredObject | None, new: StoredObject | None) -> None:
        if new is None:
            assert old is not None
            self._evictions.pop((old.namespace, old.name), None)
        elif claim_references(new) and (old is None or _uses(old) != _uses(new)):
            self._queue.add((new.namespace, new.name))

    def _on_claim(self, old: StoredObject | None, new: StoredObject | None) -> None:
        for claim in (old, new):
            if claim is None:
                continue
            for result in _results(claim):
                users = self._users.setdefault(_device(result), set())
                (users.add if claim is new else users.discard)((claim.namespace, claim.name))
                if not users:
                    del self._users[_device(result)]
        if old is None or new is None or old.document["status"] != new.document["status"]:
            for claim in (old, new):
                self._enqueue_consumers(claim)

    def _on_slice(self, old: StoredObject | None, new: StoredObject | None) -> None:
        for stored in (old, new):
            if stored is None:
                continue
            spec = stored.document["spec"]
            key = spec["driver"], spec["pool"]["name"]
            slices = self._pools.setdefault(key, {})
            if stored is new:
                slices[stored.name] = spec
            else:
                slices.pop(stored.name, None)
            if not slices:
                del self._pools[key]
            for device in spec.get("devices") or ():
                for claim in self._users.get(DeviceId(*key, device["name"]), ()):
                    self._enqueue_consumers(self._claims.get(*claim))

    def _enqueue_consumers(self, claim: StoredObject | None) -> None:
        for consumer in consumers_of(claim) if claim is not None else ():
            if not consumer.get("apiGroup") and consumer["resource"] == "pods":
                assert claim is not None
                self._queue.add((claim.namespace, consumer["name"]))

    async def _sync(self, key: _Key) -> None:
        pod = self._pods.get(*key)
        planned = self._evictions.get(key)
        if pod is None or (planned is not None and planned.uid == pod.uid and planned.is_done):
            return
        times = list(self._eviction_times(pod))
        if not times:
            if self._evictions.pop(key, None) is not None:
                await self._events.record(_reference(pod), Report("Normal", _REASON, "Cancelling deletion"))
            return
        due, now = min(times), self._runtime.clock.now()
        self._evictions[key] = _Eviction(pod.uid, due)
        if due > now:
            self._queue.add_after(key, (due - now).total_seconds())
            return
        with ignoring_absence():
            await self._evict(pod)
        if key in self._evictions:
            self._evictions[key] = _Eviction(pod.uid, due, is_done=True)

    def _eviction_times(self, pod: StoredObject) -> Iterator[datetime]:
        """Yield the times at which device taints evict the pod. Taints that it tolerates forever are left out."""
        if not pod.document["spec"].get("nodeName"):
            return
        for reference in claim_references(pod):
            try:
                found = claim_name(pod, reference)
            except NotCreated:
                continue
            claim = None if found is None else self._claims.get(pod.namespace, found.name)
            if found is None or claim is None or (found.is_generated and not_for_pod(claim, pod)):
                continue
            if is_reserved_for(claim, pod.uid):
                for result in _results(claim):
                    yield from self._times_of(result)

    def _times_of(self, result: Document) -> Iterator[datetime]:
        for taint in self._taints(_device(result)):
            added = Time(taint["timeAdded"]).instant
            matching = [
                toleration
                for toleration in result.get("tolerations") or ()
                if toleration.get("effect") == "NoExecute" and tolerates_taint(toleration, taint)
            ]
            seconds = [toleration.get("tolerationSeconds") for toleration in matching]
            if None not in seconds:
                yield added + timedelta(seconds=min((max(one, 0) for one in seconds if one is not None), default=0))

    def _taints(self, device: DeviceId) -> list[Document]:
        """Return the NoExecute taints of a device, from the ResourceSlices with the newest generation of its pool."""
        slices = self._pools.get((device.driver, device.pool), {}).values()
        newest = max((spec["pool"]["generation"] for spec in slices), default=0)
        for spec in slices:
            for listed in spec.get("devices") or ():
                if spec["pool"]["generation"] == newest and listed["name"] == device.name:
                    return [taint for taint in listed.get("taints") or () if taint["effect"] == "NoExecute"]
        return []

    async def _evict(self, pod: StoredObject) -> None:
        pods = self._runtime.registry.find("", "v1", "pods").resource
        newest = await self._runtime.client.get(pods, pod.namespace, pod.name)
        if newest.uid != pod.uid or "deletionTimestamp" in newest.document["metadata"]:
            return
        await self._events.record(_reference(pod), Report("Normal", _REASON, "Marking for deletion"))
        now = written_now(self._runtime.clock)

        def change(obj: ApiObject) -> None:
            assert isinstance(obj, Pod)
            set_condition(obj.status, _disruption(), now)

        await self._runtime.client.update(pods, pod, change, subresource="status")
        options = DeleteOptions(preconditions=Preconditions(uid=pod.uid))
        await self._runtime.client.delete(pods, pod.namespace, pod.name, options)


def _disruption() -> PodCondition:
    return PodCondition(
        type="DisruptionTarget",
        status="True",
        reason="DeletionByDeviceTaintManager",
        message="Device Taint manager: deleting due to NoExecute taint",
    )


def _results(claim: StoredObject) -> list[Document]:
    return ((allocation_of(claim) or {}).get("devices") or {}).get("results") or []


def _device(result: Document) -> DeviceId:
    return DeviceId(result["driver"], result["pool"], result["device"])


def _uses(pod: StoredObject) -> tuple[object, object]:
    """Return the parts of a pod that determine its devices: its node and its generated ResourceClaims."""
    return pod.document["spec"].get("nodeName"), pod.document["status"].get("resourceClaimStatuses")


def _reference(pod: StoredObject) -> ObjectReference:
    return ObjectReference(kind="Pod", apiVersion="v1", namespace=pod.namespace, name=pod.name, uid=pod.uid)
