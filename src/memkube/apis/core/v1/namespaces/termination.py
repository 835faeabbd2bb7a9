"""Deleting a namespace: it stays, terminating, until its content is gone.

Source: ``pkg/registry/core/namespace/storage/storage.go``.
"""

from memkube.apimachinery.errors import ApiError, GroupResource, conflict
from memkube.apimachinery.meta.v1.delete_options import DeleteOptions, Preconditions
from memkube.apimachinery.time import Time
from memkube.apis.core.v1.namespaces.types import Namespace
from memkube.registry.deletion import finalizers_for
from memkube.registry.stored import StoredObject
from memkube.registry.strategy import Strategy


def check_preconditions(current: StoredObject, preconditions: Preconditions) -> None:
    """Raises ApiError 409."""
    if preconditions.uid != current.uid:
        raise _failed(current, "UID", preconditions.uid, current.uid)
    version = preconditions.resourceVersion
    if version is not None and version != current.resource_version:
        raise _failed(current, "ResourceVersion", version, current.resource_version)


def terminate(namespace: Namespace, strategy: Strategy[Namespace], options: DeleteOptions, now: Time) -> None:
    """Marks a namespace that is to go."""
    metadata = namespace.metadata
    metadata.deletionTimestamp = metadata.deletionTimestamp or now
    namespace.status.phase = "Terminating"
    finalizers = finalizers_for(namespace, strategy, _spelled_out(options))
    if set(finalizers) != set(metadata.finalizers):
        metadata.finalizers = finalizers


def _failed(current: StoredObject, what: str, expected: str | None, found: str) -> ApiError:
    why = f"Precondition failed: {what} in precondition: {expected}, {what} in object meta: {found}"
    return conflict(GroupResource("", "namespaces"), current.name, why)


def _spelled_out(options: DeleteOptions) -> DeleteOptions:
    """The options with a propagation policy: here, not to orphan dependents is to wait for them."""
    if options.orphanDependents is not False:
        return options
    return options.model_copy(update={"orphanDependents": None, "propagationPolicy": "Foreground"})
