"""Protects volumes, claims and VolumeAttributesClasses that are in use from deletion (``pkg/controller/volume``).

Admission adds a finalizer to each new object, and the controllers to objects that lack it. The controllers remove the
finalizer when the object is terminating and not in use.
"""

from typing import ClassVar, Final, TypeAlias

from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.model import Document
from memkube.controllers.framework.client import ignoring_absence
from memkube.controllers.framework.informer import ResourceName
from memkube.controllers.framework.pods_by_claim import claims_of_pod
from memkube.controllers.framework.runtime import Runtime
from memkube.controllers.workloads.owners import controller_uid
from memkube.registry.objects.stored import StoredObject

Key: TypeAlias = tuple[str, str]
_CLAIMS: Final = ResourceName("", "v1", "persistentvolumeclaims")
_VOLUMES: Final = ResourceName("", "v1", "persistentvolumes")
_ATTRIBUTES_CLASSES: Final = ResourceName("storage.k8s.io", "v1", "volumeattributesclasses")


class _Protection:
    """Base class of the protection controllers, which set a finalizer in the objects of one kind.

    They remove the finalizer from a terminating object when the object is not in use.
    """

    protected: ClassVar[ResourceName]
    finalizer: ClassVar[str]

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._objects = runtime.informers.of(*self.protected)
        self.queue = runtime.queue(f"protection of {self.protected.plural}", self._sync)
        self._objects.subscribe(self._on_object)

    def is_used(self, stored: StoredObject) -> bool:
        """Return True if the object is in use, so that its finalizer must stay.

        Subclasses define which use counts.
        """
        raise NotImplementedError

    def _on_object(self, _: StoredObject | None, new: StoredObject | None) -> None:
        if new is not None:
            self.queue.add((new.namespace, new.name))

    async def _sync(self, key: Key) -> None:
        resource, stored = self._runtime.catalog.find(*self.protected), self._objects.get(*key)
        if resource is None or stored is None:
            return
        metadata = stored.document["metadata"]
        has_finalizer = self.finalizer in (metadata.get("finalizers") or ())
        is_leaving = "deletionTimestamp" in metadata
        if has_finalizer != is_leaving or (is_leaving and self.is_used(stored)):
            return

        def change(obj: ApiObject) -> None:
            others = [name for name in obj.metadata.finalizers if name != self.finalizer]
            obj.metadata.finalizers = others if is_leaving else [*others, self.finalizer]

        with ignoring_absence():
            await self._runtime.client.update(resource, stored, change)


class PersistentVolumeProtection(_Protection):
    """Adds a finalizer to PersistentVolumes, which prevents their deletion while they are bound to a claim."""

    protected: ClassVar[ResourceName] = _VOLUMES
    finalizer: ClassVar[str] = "kubernetes.io/pv-protection"

    def is_used(self, stored: StoredObject) -> bool:
        return bool(stored.document["status"].get("phase") == "Bound")


class PersistentVolumeClaimProtection(_Protection):
    """Delays the deletion of PersistentVolumeClaims that a pod uses.

    Only pods that are bound to a node count; those that have ended count too.
    """

    protected: ClassVar[ResourceName] = _CLAIMS
    finalizer: ClassVar[str] = "kubernetes.io/pvc-protection"

    def __init__(self, runtime: Runtime) -> None:
        super().__init__(runtime)
        self._pods = runtime.pods_by_claim
        runtime.informers.of("", "v1", "pods").subscribe(self._on_pod)

    def is_used(self, stored: StoredObject) -> bool:
        return any(_uses(pod, stored) for pod in self._pods.of(stored.namespace, stored.name))

    def _on_pod(self, old: StoredObject | None, new: StoredObject | None) -> None:
        for pod in (old, new):
            if pod is not None:
                for name in claims_of_pod(pod):
                    self.queue.add((pod.namespace, name))


class VolumeAttributesClassProtection(_Protection):
    """Delays the deletion of VolumeAttributesClasses that a PersistentVolume or a claim names."""

    protected: ClassVar[ResourceName] = _ATTRIBUTES_CLASSES
    finalizer: ClassVar[str] = "kubernetes.io/vac-protection"

    def __init__(self, runtime: Runtime) -> None:
        super().__init__(runtime)
        self._users = (runtime.informers.of(*_VOLUMES), runtime.informers.of(*_CLAIMS))
        for informer in self._users:
            informer.subscribe(self._on_user)

    def is_used(self, stored: StoredObject) -> bool:
        return any(stored.name in _classes_of(user.document) for informer in self._users for user in informer)

    def _on_user(self, old: StoredObject | None, new: StoredObject | None) -> None:
        for user in (old, new):
            for name in _classes_of(user.document) if user is not None else ():
                self.queue.add(("", name))


def _uses(pod: StoredObject, claim: StoredObject) -> bool:
    spec, metadata = pod.document["spec"], pod.document["metadata"]
    if not spec.get("nodeName"):
        return False
    is_shut_down = "deletionTimestamp" in metadata and metadata.get("deletionGracePeriodSeconds") == 0
    for volume in spec.get("volumes") or ():
        if (volume.get("persistentVolumeClaim") or {}).get("claimName") == claim.name:
            return True
        is_made_for_pod = volume.get("ephemeral") is not None and f"{pod.name}-{volume['name']}" == claim.name
        if is_made_for_pod and not is_shut_down and controller_uid(claim) == pod.uid:
            return True
    return False


def _classes_of(user: Document) -> set[str]:
    status = user["status"]
    names = (
        user["spec"].get("volumeAttributesClassName"),
        status.get("currentVolumeAttributesClassName"),
        (status.get("modifyVolumeStatus") or {}).get("targetVolumeAttributesClassName"),
    )
    return {name for name in names if name}
