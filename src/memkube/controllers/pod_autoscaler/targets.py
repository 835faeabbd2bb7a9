"""Reads and changes the scale of an autoscaler's target, through its subresource ``scale`` (client-go ``scale``)."""

from typing import Final

from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.meta.v1.api_object import ObjectMeta
from memkube.apis.autoscaling.v1.scales.types import Scale, ScaleSpec
from memkube.apis.autoscaling.v2.horizontalpodautoscalers.types import CrossVersionObjectReference
from memkube.controllers.framework.runtime import Runtime
from memkube.registry.declarations.resource import Resource, ViewSubresource

_ATTEMPTS: Final = 5
"""Number of attempts to change the scale of a target if other clients write at the same time."""


class TargetError(Exception):
    """Raised if the scale of a target cannot be read. The message is that of kube-controller-manager."""


class Target:
    """The object that an autoscaler scales, represented by its subresource ``scale``."""

    def __init__(self, runtime: Runtime, resource: Resource, view: ViewSubresource, scale: Scale) -> None:
        self._client = runtime.client
        self._resource = resource
        self._view = view
        self._scale = scale

    @property
    def replicas(self) -> int:
        """Desired number of replicas in the spec of the target's Scale."""
        return self._scale.spec.replicas

    @property
    def observed_replicas(self) -> int:
        """Number of replicas in the status of the target's Scale."""
        return self._scale.status.replicas

    @property
    def selector(self) -> str:
        """Label selector of the scale target's pods as text; empty if it is unknown."""
        return self._scale.status.selector

    async def rescale(self, replicas: int) -> None:
        """Change the desired number of replicas of the target. Raises ApiError if the write is refused."""
        for remaining in reversed(range(_ATTEMPTS)):
            metadata = self._scale.metadata
            kept = ObjectMeta(
                name=metadata.name,
                namespace=metadata.namespace,
                uid=metadata.uid,
                resourceVersion=metadata.resourceVersion,
            )
            changed = Scale(metadata=kept, spec=ScaleSpec(replicas=replicas), status=self._scale.status)
            try:
                await self._client.replace_view(self._resource, self._view, changed)
                return
            except ApiError as error:
                if error.reason != "Conflict" or not remaining:
                    raise
            document = await self._client.get_view(self._resource, self._view, metadata.namespace, metadata.name)
            self._scale = Scale.from_document(document.document)


async def target_of(runtime: Runtime, namespace: str, reference: CrossVersionObjectReference) -> Target:
    """Return the object that an autoscaler's `reference` names. Raises TargetError if its scale cannot be read."""
    resource = _resource(runtime, reference)
    view = resource.subresource("scale")
    if not isinstance(view, ViewSubresource) or not resource.namespaced:
        raise TargetError("the server could not find the requested resource")
    try:
        stored = await runtime.client.get_view(resource, view, namespace, reference.name)
    except ApiError as error:
        raise TargetError(error.message) from None
    return Target(runtime, resource, view, Scale.from_document(stored.document))


def _resource(runtime: Runtime, reference: CrossVersionObjectReference) -> Resource:
    """Return the resource of the kind that an autoscaler's `reference` names, in its group's preferred version.

    Raises TargetError if the server does not serve the kind.
    """
    if reference.apiVersion.count("/") > 1:
        raise TargetError(f"unexpected GroupVersion string: {reference.apiVersion}")
    group = reference.apiVersion.rpartition("/")[0]
    for version in runtime.catalog.groups.get(group, ()):
        for resource in runtime.catalog.in_version(group, version):
            if resource.kind == reference.kind:
                return resource
    raise TargetError(f'no matches for kind "{reference.kind}" in group "{group}"')
