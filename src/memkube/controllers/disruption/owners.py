"""How many pods the owners of some pods want: what percentages in budgets are taken of."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from memkube.apimachinery.errors import ApiError, GroupResource
from memkube.apimachinery.model import Document
from memkube.apimachinery.shown_values import quoted
from memkube.controllers.runtime import Runtime
from memkube.controllers.workloads.owners import controller_reference
from memkube.registry.kinds import KindName
from memkube.registry.resource import Resource
from memkube.registry.stored import StoredObject

_SCALED_BY_FIELD: Final = frozenset({("", "ReplicationController"), ("apps", "ReplicaSet"), ("apps", "StatefulSet")})


class NoScale(Exception):
    """An owner, or its scale, cannot be found; the message is what the budget's condition tells."""


class Scale(NamedTuple):
    """An owner, and how many pods it wants."""

    uid: str
    replicas: int


class Owners:
    """Looks up the scales of controllers."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime

    async def expected_pods(self, pods: Sequence[StoredObject]) -> tuple[int, list[str]]:
        """The sum of the scales of all controllers of the pods, and the names of pods that have none.

        Raises NoScale.
        """
        scales: dict[str, int] = {}
        unmanaged: list[str] = []
        for pod in pods:
            reference = controller_reference(pod.document)
            if reference is None:
                unmanaged.append(pod.name)
            elif reference["uid"] not in scales:
                scale = await self._scale(reference, pod.namespace)
                if scale is None:
                    raise NoScale(f"found no controllers for pod {quoted(pod.name)}")
                scales[scale.uid] = scale.replicas
        return sum(scales.values()), unmanaged

    async def _scale(self, reference: Document, namespace: str) -> Scale | None:
        kind = KindName.of(reference["apiVersion"], reference["kind"])
        resource = self._runtime.catalog.of_kind(kind)
        if resource is None:
            raise NoScale(f'no matches for kind "{kind.kind}" in version "{kind.api_version}"')
        owner = await self._owner(resource, namespace, reference)
        if (kind.group, kind.kind) not in _SCALED_BY_FIELD and resource.subresource("scale") is None:
            name = GroupResource(resource.group, resource.plural)
            raise NoScale(f"{name} does not implement the scale subresource")
        if owner is None:
            return None
        if (kind.group, kind.kind) == ("apps", "ReplicaSet"):
            return await self._deployment_scale(owner, namespace) or _replicas(owner)
        return _replicas(owner)

    async def _deployment_scale(self, replica_set: StoredObject, namespace: str) -> Scale | None:
        """The scale of the Deployment that a ReplicaSet belongs to, which its own may be on the way to."""
        reference = controller_reference(replica_set.document)
        if reference is None or reference["kind"] != "Deployment":
            return None
        resource = self._runtime.resource(reference["apiVersion"], reference["kind"])
        if resource is None:
            return None
        deployment = await self._owner(resource, namespace, reference)
        return None if deployment is None else _replicas(deployment)

    async def _owner(self, resource: Resource, namespace: str, reference: Document) -> StoredObject | None:
        try:
            owner = await self._runtime.client.get(
                resource, namespace if resource.namespaced else "", reference["name"]
            )
        except ApiError as error:
            if error.reason != "NotFound":
                raise
            return None
        return owner if owner.uid == reference["uid"] else None


def _replicas(owner: StoredObject) -> Scale:
    return Scale(owner.uid, owner.document.get("spec", {}).get("replicas", 0))
