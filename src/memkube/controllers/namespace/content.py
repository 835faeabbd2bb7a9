"""Deletes the objects in a terminating namespace (``deletion/namespaced_resources_deleter.go``)."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Final, NamedTuple

from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.meta.v1.condition import find_condition
from memkube.apimachinery.meta.v1.delete_options import DeleteOptions
from memkube.apimachinery.time import Time
from memkube.apis.core.v1.namespaces.strategy import FINALIZER
from memkube.apis.core.v1.namespaces.types import Namespace, NamespaceCondition, NamespaceStatus
from memkube.controllers.framework.client import ignoring_absence
from memkube.controllers.framework.runtime import Runtime
from memkube.registry.declarations.request_options import ListOptions
from memkube.registry.declarations.resource import Resource
from memkube.registry.objects.stored import StoredObject
from memkube.time.clock import written_now

CONTENT_FAILURE: Final = "NamespaceDeletionContentFailure"
CONTENT_REMAINING: Final = "NamespaceContentRemaining"
FINALIZERS_REMAINING: Final = "NamespaceFinalizersRemaining"
_ENDED: Final = ("Succeeded", "Failed")
_FINALIZER_ESTIMATE: Final = 15


class Trouble(NamedTuple):
    """Reason and message of a namespace condition that reports a problem, with the status True."""

    reason: str
    message: str


_FINE: Final[dict[str, Trouble]] = {
    "NamespaceDeletionDiscoveryFailure": Trouble("ResourcesDiscovered", "All resources successfully discovered"),
    "NamespaceDeletionGroupVersionParsingFailure": Trouble(
        "ParsedGroupVersions", "All legacy kube types successfully parsed"
    ),
    CONTENT_FAILURE: Trouble("ContentDeleted", "All content successfully deleted, may be waiting on finalization"),
    CONTENT_REMAINING: Trouble("ContentRemoved", "All content successfully removed"),
    FINALIZERS_REMAINING: Trouble("ContentHasNoFinalizers", "All content-preserving finalizers finished"),
}


def content_failure(errors: list[str]) -> Trouble:
    """Return the namespace condition NamespaceDeletionContentFailure, whose message lists the texts in `errors`."""
    shown = ", ".join(sorted(errors))
    message = f"Failed to delete all resource types, {len(errors)} remaining: {shown}"
    return Trouble("ContentDeletionFailed", message)


def content_remaining(counts: Mapping[str, int]) -> Trouble:
    """Return the namespace condition NamespaceContentRemaining. `counts` has the remaining objects by resource."""
    shown = sorted(f"{resource} has {count} resource instances" for resource, count in counts.items())
    return Trouble("SomeResourcesRemain", f"Some resources are remaining: {', '.join(shown)}")


def finalizers_remaining(counts: Mapping[str, int]) -> Trouble:
    """Return the condition NamespaceFinalizersRemaining. `counts` has the remaining objects by finalizer."""
    shown = ", ".join(sorted(f"{finalizer} in {count} resource instances" for finalizer, count in counts.items()))
    return Trouble("SomeFinalizersRemain", f"Some content in the namespace has finalizers remaining: {shown}")


def set_conditions(status: NamespaceStatus, troubles: Mapping[str, Trouble], now: Time) -> None:
    """Set all deletion conditions of a namespace: True for those in `troubles`, otherwise False.

    The transition time of a condition changes only with its status.
    """
    for name, fine in _FINE.items():
        reason, message = troubles.get(name, fine)
        value = "True" if name in troubles else "False"
        condition = find_condition(status.conditions, name)
        if condition is None:
            condition = NamespaceCondition(type=name)
            status.conditions = [*status.conditions, condition]
        if condition.status != value:
            condition.lastTransitionTime = now
        condition.status, condition.reason, condition.message = value, reason, message


@dataclass(slots=True)
class Remains:
    """Objects and finalizers that remain in a namespace after an attempt to delete its objects."""

    estimate: int = 0
    """Estimated seconds until all objects in the namespace are deleted."""
    errors: list[str] = field(default_factory=list)
    by_resource: Counter[str] = field(default_factory=Counter)
    by_finalizer: Counter[str] = field(default_factory=Counter)
    only_pods: bool = False
    """True if only pods were deleted so far. Other objects are deleted after all pods are gone."""

    def troubles(self) -> dict[str, Trouble]:
        """Return the conditions of the namespace that must be True, by type.

        Remaining objects are not reported while they are only pods: the other objects are deleted after the pods.
        """
        troubles: dict[str, Trouble] = {}
        if self.errors:
            troubles[CONTENT_FAILURE] = content_failure(self.errors)
        if self.by_resource and not self.only_pods:
            troubles[CONTENT_REMAINING] = content_remaining(self.by_resource)
        if self.by_finalizer and not self.only_pods:
            troubles[FINALIZERS_REMAINING] = finalizers_remaining(self.by_finalizer)
        return troubles


class ContentRemover:
    """Deletes all objects in one namespace: first its pods, then all other objects."""

    def __init__(self, runtime: Runtime, namespaces: Resource, stored: StoredObject) -> None:
        namespace = Namespace.from_document(stored.document)
        self._runtime = runtime
        self._namespaces = namespaces
        self._stored = stored
        self._namespace = stored.name
        self._deleted_at = namespace.metadata.deletionTimestamp
        self.is_due = self._deleted_at is not None and bool(namespace.spec.finalizers)
        """True if the namespace is terminating, and has not been finalized."""
        self._remains = Remains()
        self.resources = self._resources()

    async def remove(self) -> Remains:
        """Delete as many objects as possible, and set the namespace's conditions.

        Returns the objects and finalizers that remain.
        """
        remains = self._remains
        resources = self.resources
        pods = [resource for resource in resources if _is_pods(resource)]
        for resource in pods:
            await self._remove_all(resource)
        remains.only_pods = bool(remains.by_resource)
        if not remains.only_pods:
            for resource in resources:
                if not _is_pods(resource):
                    await self._remove_all(resource)
        now = written_now(self._runtime.clock)

        def change(namespace: ApiObject) -> None:
            assert isinstance(namespace, Namespace)
            namespace.status.phase = "Terminating"
            set_conditions(namespace.status, remains.troubles(), now)

        await self._runtime.client.update(self._namespaces, self._stored, change, subresource="status")
        return remains

    async def finalize(self) -> None:
        """Remove the finalizer ``kubernetes`` from the namespace, which deletes the namespace."""

        def change(namespace: ApiObject) -> None:
            assert isinstance(namespace, Namespace)
            namespace.spec.finalizers = sorted({f for f in namespace.spec.finalizers if f != FINALIZER})

        await self._runtime.client.update(self._namespaces, self._stored, change, subresource="finalize")

    def _resources(self) -> list[Resource]:
        """Return each namespaced resource whose objects can be deleted, in one of its versions."""
        found: dict[tuple[str, str], Resource] = {}
        for resource in self._runtime.catalog:
            if resource.namespaced and "delete" in resource.verbs:
                found.setdefault((resource.group, resource.plural), resource)
        return list(found.values())

    async def _remove_all(self, resource: Resource) -> None:
        try:
            estimate = await self._grace(resource)
            await self._delete(resource)
            left = await self._list(resource)
        except ApiError as error:
            self._remains.errors.append(error.message)
            return
        if not left:
            return
        held = Counter(finalizer for stored in left for finalizer in _finalizers(stored))
        self._remains.by_resource[f"{resource.plural}.{resource.group}"] += len(left)
        self._remains.by_finalizer += held
        if not estimate and held:
            estimate = _FINALIZER_ESTIMATE
        if not estimate:
            which = f"{resource.group}/{resource.version}, Resource={resource.plural}"
            self._remains.errors.append(
                f"unexpected items still remain in namespace: {self._namespace} for gvr: {which}"
            )
        self._remains.estimate = max(self._remains.estimate, estimate)

    async def _delete(self, resource: Resource) -> None:
        client, namespace = self._runtime.client, self._namespace
        if "deletecollection" in resource.verbs:
            await client.delete_collection(resource, namespace, _background())
            return
        for stored in await self._list(resource):
            with ignoring_absence():
                await client.delete(resource, namespace, stored.name, _background())

    async def _list(self, resource: Resource) -> list[StoredObject]:
        if "list" not in resource.verbs:
            return []
        store = self._runtime.registry.store(resource)
        return list((await store.list(self._namespace, ListOptions())).items)

    async def _grace(self, resource: Resource) -> int:
        """Return the longest grace period of the namespace's pods in seconds, if it has not passed yet; otherwise 0.

        For resources other than pods the result is 0.
        """
        if not _is_pods(resource):
            return 0
        pods = [stored.document for stored in await self._list(resource)]
        graces = [
            pod["spec"].get("terminationGracePeriodSeconds") or 0
            for pod in pods
            if pod["status"].get("phase") not in _ENDED
        ]
        longest: int = max(graces, default=0)
        assert self._deleted_at is not None
        passed = self._runtime.clock.now() - self._deleted_at.instant
        return longest if passed < timedelta(seconds=longest) else 0


def _is_pods(resource: Resource) -> bool:
    return resource.group == "" and resource.plural == "pods"


def _background() -> DeleteOptions:
    return DeleteOptions(propagationPolicy="Background")


def _finalizers(stored: StoredObject) -> list[str]:
    finalizers: list[str] = stored.document["metadata"].get("finalizers", [])
    return finalizers
