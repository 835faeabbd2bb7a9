"""PersistentVolumeClaims of a StatefulSet's pods: names, contents and retention (``stateful_set_utils.go``)."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from memkube.apimachinery.errors import ApiError, unclassified
from memkube.apimachinery.field_errors import aggregate_message
from memkube.apimachinery.meta.v1.api_object import ApiObject, OwnerReference
from memkube.apimachinery.model import Document
from memkube.apis.core.v1.podspec.types.persistent_volume_claims import PersistentVolumeClaim
from memkube.controllers.framework.event_recorder import EventRecorder, Report
from memkube.controllers.framework.runtime import Runtime
from memkube.registry.declarations.resource import Resource
from memkube.registry.objects.stored import StoredObject

CLAIMS: Final = ("", "v1", "persistentvolumeclaims")


def claims_of(stateful_set: Document, ordinal: int) -> dict[str, Document]:
    """Return the PersistentVolumeClaims for the pod with this ordinal, by the name of their claim template."""
    metadata, spec = stateful_set["metadata"], stateful_set["spec"]
    selected = (spec.get("selector") or {}).get("matchLabels") or {}
    claims: dict[str, Document] = {}
    for template in spec.get("volumeClaimTemplates") or ():
        name = template["metadata"].get("name", "")
        own = {
            **template["metadata"],
            "name": f"{name}-{metadata['name']}-{ordinal}",
            "namespace": metadata["namespace"],
            "labels": {**(template["metadata"].get("labels") or {}), **selected},
        }
        claims[name] = {**template, "metadata": own}
    return claims


def with_storage(volumes: Sequence[Document], claims: Mapping[str, Document]) -> list[Document]:
    """Return a pod's volumes, preceded by volumes for its claims, which replace volumes of the same name."""
    own = [
        {"name": name, "persistentVolumeClaim": {"claimName": claim["metadata"]["name"]}}
        for name, claim in claims.items()
    ]
    return own + [volume for volume in volumes if volume["name"] not in claims]


def has_storage(pod: Document, claims: Mapping[str, Document]) -> bool:
    """True if a pod has a volume for each of the StatefulSet's claim templates."""
    volumes = {volume["name"]: volume for volume in pod["spec"].get("volumes") or ()}
    named = {name: (volumes.get(name, {}).get("persistentVolumeClaim") or {}).get("claimName") for name in claims}
    return all(named[name] == claim["metadata"]["name"] for name, claim in claims.items())


class Owner(NamedTuple):
    """A StatefulSet or a pod, as possible owner of a PersistentVolumeClaim. A pod to be created has an empty uid."""

    api_version: str
    kind: str
    name: str
    uid: str

    @classmethod
    def of_pod(cls, pod: StoredObject) -> "Owner":
        """Return a pod as possible owner of its PersistentVolumeClaims."""
        return cls("v1", "Pod", pod.name, pod.uid)

    @property
    def reference(self) -> Document:
        """Return an owner reference, with which this object controls a PersistentVolumeClaim."""
        identity = {"apiVersion": self.api_version, "kind": self.kind, "name": self.name, "uid": self.uid}
        return {**identity, "controller": True, "blockOwnerDeletion": True}

    def is_named_by(self, reference: Mapping[str, Any]) -> bool:
        """True if an owner reference names an object of this kind and name. The uid is not compared."""
        named = (reference["apiVersion"], reference["kind"], reference["name"])
        return named == (self.api_version, self.kind, self.name)


class Retention(NamedTuple):
    """Retention policy for the PersistentVolumeClaims of one pod of a StatefulSet."""

    policy: Mapping[str, str]
    stateful_set: Owner
    pod: Owner
    is_surplus: bool
    """True if the pod's ordinal is not among the StatefulSet's present ordinals."""

    @property
    def deleted_with_pod(self) -> bool:
        """True if the PersistentVolumeClaims must be deleted with the pod."""
        return self.is_surplus and self.policy.get("whenScaled") == "Delete"

    @property
    def deleted_with_set(self) -> bool:
        """True if the PersistentVolumeClaims must be deleted with the StatefulSet."""
        return not self.deleted_with_pod and self.policy.get("whenDeleted") == "Delete"

    def has_required_owners(self, references: Sequence[Mapping[str, Any]]) -> bool:
        """True if the owner references of a claim need no change.

        They need no change in three cases:

        - They are the references that the retention policy requires.
        - One of them names an earlier pod or StatefulSet of the same name.
        - The claim belongs to another controller, and has no references to the pod and the StatefulSet.
        """
        if is_stale(references, self.stateful_set) or is_stale(references, self.pod):
            return True
        mine = [r for r in references if r["uid"] in (self.stateful_set.uid, self.pod.uid)]
        if self.has_other_controller(references):
            return not mine
        if any(not reference.get("controller") for reference in mine):
            return False
        owners = {reference["uid"] for reference in mine}
        expected = {self.stateful_set.uid: self.deleted_with_set, self.pod.uid: self.deleted_with_pod}
        return all((uid in owners) == wanted for uid, wanted in expected.items())

    def has_other_controller(self, references: Sequence[Mapping[str, Any]]) -> bool:
        """True if a claim with these owner references has a controller other than the pod and the StatefulSet.

        An earlier object with the name of the pod or of the StatefulSet, but another uid, counts as another controller.
        If the retention policy never deletes claims, the result is always False.
        """
        if all(self.policy.get(name, "Retain") == "Retain" for name in ("whenScaled", "whenDeleted")):
            return False
        for reference in references:
            owner = next((o for o in (self.stateful_set, self.pod) if o.is_named_by(reference)), None)
            if reference["uid"] != owner.uid if owner else reference.get("controller"):
                return True
        return False


def is_stale(references: Sequence[Mapping[str, Any]], owner: Owner) -> bool:
    """True if a claim has an owner reference to an earlier object of the same name as `owner`."""
    named = next((reference for reference in references if owner.is_named_by(reference)), None)
    return named is not None and named["uid"] != owner.uid


def references_of(claim: StoredObject) -> Sequence[Mapping[str, Any]]:
    """Return the owner references of a PersistentVolumeClaim."""
    return claim.document["metadata"].get("ownerReferences") or ()


def _owning(retention: Retention) -> Callable[[ApiObject], None]:
    added: list[Document] = []
    if retention.deleted_with_set:
        added.append(retention.stateful_set.reference)
    if retention.deleted_with_pod:
        added.append(retention.pod.reference)

    def change(obj: ApiObject) -> None:
        references = [reference.to_document() for reference in obj.metadata.ownerReferences]
        mine = (retention.stateful_set, retention.pod)
        kept = [r for r in references if not any(owner.is_named_by(r) for owner in mine)]
        wanted = kept if retention.has_other_controller(references) else kept + added
        obj.metadata.ownerReferences = [OwnerReference.from_document(reference) for reference in wanted]

    return change


class ClaimControl:
    """Creates the PersistentVolumeClaims of one StatefulSet's pods, and maintains their owner references."""

    def __init__(self, runtime: Runtime, events: EventRecorder, stateful_set: StoredObject, owners: Resource) -> None:
        self._runtime = runtime
        self._events = events
        self._set = stateful_set
        self._owners = owners
        spec = stateful_set.document["spec"]
        start: int = (spec.get("ordinals") or {}).get("start", 0)
        self._wanted = range(start, start + spec.get("replicas", 0))
        self._policy: Mapping[str, str] = spec.get("persistentVolumeClaimRetentionPolicy") or {}

    def of(self, ordinal: int) -> dict[str, Document]:
        """Return the PersistentVolumeClaims that the pod with this ordinal needs, by the name of their template."""
        return claims_of(self._set.document, ordinal)

    async def create_missing(self, pod: str, ordinal: int) -> None:
        """Create the missing PersistentVolumeClaims of the pod named `pod`, whose ordinal is `ordinal`.

        Raises one ApiError for all failures.
        """
        failures: list[str] = []
        for claim in self.of(ordinal).values():
            name = claim["metadata"]["name"]
            try:
                found = await self._find(name)
            except ApiError as error:
                failures.append(f"failed to retrieve PVC {name}: {error.message}")
                await self._report(pod, name, error)
                continue
            if found is None:
                failures += await self._create(pod, claim)
            elif "deletionTimestamp" in found.document["metadata"]:
                failures.append(f"pvc {name} is being deleted")
        if failures:
            raise unclassified(aggregate_message(failures))

    async def are_stale(self, pod: str, ordinal: int) -> bool:
        """True if claims still belong to an earlier pod of this name, and must be deleted before a new pod is created.

        `pod` is the name, and `ordinal` the ordinal of the new pod. Raises ApiError if the claims cannot be read.
        """
        if self._policy.get("whenScaled", "Retain") == "Retain":
            return False
        owner = Owner("v1", "Pod", pod, "")
        found = [await self._find(claim["metadata"]["name"]) for claim in self.of(ordinal).values()]
        return any(claim is not None and is_stale(references_of(claim), owner) for claim in found)

    async def are_kept(self, pod: StoredObject, ordinal: int) -> bool:
        """True if a pod's PersistentVolumeClaims have the owner references that the retention policy requires.

        `ordinal` is the pod's ordinal. Claims that do not exist are ignored. Raises ApiError if the claims cannot be
        read.
        """
        retention = self._retention(Owner.of_pod(pod), ordinal)
        found = [await self._find(claim["metadata"]["name"]) for claim in self.of(ordinal).values()]
        return all(claim is None or retention.has_required_owners(references_of(claim)) for claim in found)

    async def keep(self, pod: Owner, ordinal: int) -> None:
        """Set the owner references of the existing claims of a pod as the retention policy requires.

        `pod` names the pod, whose ordinal is `ordinal`. Raises ApiError if an update fails.
        """
        retention = self._retention(pod, ordinal)
        for claim in self.of(ordinal).values():
            found = await self._find(claim["metadata"]["name"])
            if found is None:
                continue
            if retention.has_other_controller(references_of(found)):
                message = (
                    f"PersistentVolumeClaim {found.name} has a conflicting OwnerReference that acts as a manging "
                    "controller, the retention policy is ignored for this claim"
                )
                await self._events.record(self._set, Report("Warning", "ConflictingController", message))
            if not retention.has_required_owners(references_of(found)):
                await self._update(found, _owning(retention))

    def _retention(self, pod: Owner, ordinal: int) -> Retention:
        stateful_set = Owner(self._owners.api_version, self._owners.kind, self._set.name, self._set.uid)
        return Retention(self._policy, stateful_set, pod, ordinal not in self._wanted)

    async def _find(self, name: str) -> StoredObject | None:
        try:
            return await self._runtime.registry.find(*CLAIMS).get(self._set.namespace, name)
        except ApiError as error:
            if error.reason != "NotFound":
                raise
            return None

    async def _create(self, pod: str, claim: Document) -> list[str]:
        """Create a PersistentVolumeClaim, and record an Event about its creation or failure.

        Returns an empty list on success, otherwise a list with the error message.
        """
        name = claim["metadata"]["name"]
        resource = self._runtime.registry.find(*CLAIMS).resource
        try:
            made = PersistentVolumeClaim.from_document(claim)
            await self._runtime.client.create(resource, made, self._set.namespace)
        except ApiError as error:
            if error.reason != "AlreadyExists":
                await self._report(pod, name, error)
            return [f"failed to create PVC {name}: {error.message}"]
        await self._report(pod, name)
        return []

    async def _update(self, claim: StoredObject, change: Callable[[ApiObject], None]) -> None:
        resource = self._runtime.registry.find(*CLAIMS).resource
        try:
            await self._runtime.client.update(resource, claim, change)
        except ApiError as error:
            raise unclassified(f"could not update claim {claim.name} for delete policy ownerRefs: {error}") from error

    async def _report(self, pod: str, claim: str, error: ApiError | None = None) -> None:
        if error is None:
            message = f"Create Claim {claim} Pod {pod} in StatefulSet {self._set.name} success"
            await self._events.record(self._set, Report("Normal", "SuccessfulCreate", message))
        else:
            message = (
                f"Create Claim {claim} for Pod {pod} in StatefulSet {self._set.name} failed error: {error.message}"
            )
            await self._events.record(self._set, Report("Warning", "FailedCreate", message))
