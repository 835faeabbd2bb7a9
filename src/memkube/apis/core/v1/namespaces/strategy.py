"""Defaults, validation rules and strategy of Namespaces (``pkg/registry/core/namespace``)."""

from functools import partial
from typing import ClassVar, Final

from memkube.apimachinery.errors import ApiError, GroupResource, conflict
from memkube.apimachinery.field_errors import FieldError, FieldPath, invalid, invalid_typed
from memkube.apimachinery.meta.v1.delete_options import DeleteOptions, Preconditions
from memkube.apimachinery.names import is_qualified_name, label_name
from memkube.apimachinery.time import Time
from memkube.apis.core.v1.metadata import validate_finalizer_domain, validate_metadata, validate_metadata_update
from memkube.apis.core.v1.namespaces.types import Namespace, NamespaceStatus
from memkube.registry.declarations.interface import Deletion, ObjectStore, Stores
from memkube.registry.declarations.request_options import WriteContext
from memkube.registry.declarations.strategy import FieldPaths, Strategy
from memkube.registry.objects.stored import StoredObject
from memkube.registry.writes.deletion import finalizers_for
from memkube.time.clock import written_now

NAME_LABEL: Final = "kubernetes.io/metadata.name"
_FINALIZERS: Final = FieldPath("spec").child("finalizers")
_PHASE: Final = FieldPath("status").child("Phase")
FINALIZER = "kubernetes"


def check_preconditions(current: StoredObject, preconditions: Preconditions) -> None:
    """Raise ApiError 409 unless `current` has the UID and resource version that the DELETE request requires."""
    if preconditions.uid != current.uid:
        raise _failed(current, "UID", preconditions.uid, current.uid)
    version = preconditions.resourceVersion
    if version is not None and version != current.resource_version:
        raise _failed(current, "ResourceVersion", version, current.resource_version)


def terminate(namespace: Namespace, strategy: Strategy[Namespace], options: DeleteOptions, now: Time) -> None:
    """Mark a namespace as terminating, in place, and set the finalizers that the options of the DELETE request require.

    `strategy` determines the default propagation policy. `now` becomes the deletionTimestamp if there is none yet.
    """
    metadata = namespace.metadata
    metadata.deletionTimestamp = metadata.deletionTimestamp or now
    namespace.status.phase = "Terminating"
    finalizers = finalizers_for(namespace, strategy, _with_propagation_policy(options))
    if set(finalizers) != set(metadata.finalizers):
        metadata.finalizers = finalizers


def _failed(current: StoredObject, what: str, expected: str | None, found: str) -> ApiError:
    why = f"Precondition failed: {what} in precondition: {expected}, {what} in object meta: {found}"
    return conflict(GroupResource("", "namespaces"), current.name, why)


def _with_propagation_policy(options: DeleteOptions) -> DeleteOptions:
    """Return the delete options with `orphanDependents: false` replaced by the propagation policy Foreground.

    kube-apiserver reads the option in this way for namespaces.
    """
    if options.orphanDependents is not False:
        return options
    return options.model_copy(update={"orphanDependents": None, "propagationPolicy": "Foreground"})


def default_namespace(namespace: Namespace) -> None:
    """Set the phase of a namespace to Active, and its label ``kubernetes.io/metadata.name`` if it has a name."""
    if namespace.metadata.name:
        namespace.metadata.labels[NAME_LABEL] = namespace.metadata.name
    namespace.status.phase = namespace.status.phase or "Active"


def validate_namespace(namespace: Namespace) -> list[FieldError]:
    """Validate a Namespace: the name is a DNS label, and finalizers are standard or have a domain."""
    errors = validate_metadata(namespace.metadata, label_name, namespaced=False)
    for name in namespace.spec.finalizers:
        errors += _validate_finalizer(name, _FINALIZERS)
    return errors


def validate_namespace_update(new: Namespace, old: Namespace) -> list[FieldError]:
    """Validate an update of a Namespace. Only its metadata is validated."""
    return validate_metadata_update(new.metadata, old.metadata)


def validate_namespace_status_update(new: Namespace, old: Namespace) -> list[FieldError]:
    """Validate that the phase is Terminating if and only if the namespace is being deleted."""
    errors = validate_metadata_update(new.metadata, old.metadata)
    if new.metadata.deletionTimestamp is None:
        if new.status.phase != "Active":
            detail = "may only be 'Active' if `deletionTimestamp` is empty"
            errors.append(invalid_typed(_PHASE, new.status.phase, detail))
    elif new.status.phase != "Terminating":
        detail = "may only be 'Terminating' if `deletionTimestamp` is not empty"
        errors.append(invalid_typed(_PHASE, new.status.phase, detail))
    return errors


def validate_namespace_finalize_update(new: Namespace, old: Namespace) -> list[FieldError]:
    """Validate an update of a namespace's finalizers: each is a standard one or has a domain prefix."""
    errors = validate_metadata_update(new.metadata, old.metadata)
    for index, name in enumerate(new.spec.finalizers):
        errors += _validate_finalizer(name, _FINALIZERS.item(index))
    return errors


def _validate_finalizer(name: str, path: FieldPath) -> list[FieldError]:
    return [invalid(path, name, error) for error in is_qualified_name(name)] + validate_finalizer_domain(name, path)


async def _admit(store: ObjectStore, context: WriteContext, current: StoredObject) -> None:
    await store.admit_deletion(current, context)


class NamespaceStrategy(Strategy[Namespace]):
    """Validates Namespaces that clients create and update, and marks a deleted one as terminating.

    Source: ``pkg/registry/core/namespace/strategy.go``.
    """

    returns_deleted: ClassVar[bool] = True
    reset_fields: ClassVar[FieldPaths] = (("status",),)

    default = staticmethod(default_namespace)
    validate = staticmethod(validate_namespace)

    def prepare_for_create(self, obj: Namespace, now: Time) -> list[str]:
        """Set the phase of a new namespace to Active, and add the finalizer ``kubernetes`` to its spec.

        The finalizer keeps the namespace until its content is deleted.
        """
        obj.status = NamespaceStatus(phase="Active")
        if FINALIZER not in obj.spec.finalizers:
            obj.spec.finalizers = [*obj.spec.finalizers, FINALIZER]
        return []

    def canonicalize(self, obj: Namespace) -> None:
        """Set a namespace's label ``kubernetes.io/metadata.name``, so that selectors can choose it by name."""
        obj.metadata.labels = {**obj.metadata.labels, NAME_LABEL: obj.metadata.name}

    def prepare_for_update(self, new: Namespace, old: Namespace) -> None:
        """Discard an update's changes to status and spec finalizers, which only subresources may write."""
        new.spec.finalizers = old.spec.finalizers
        new.status = old.status

    def validate_update(self, new: Namespace, old: Namespace) -> list[FieldError]:
        return validate_namespace(new) + validate_namespace_update(new, old)

    async def begin_delete(
        self, store: ObjectStore, name: str, options: DeleteOptions, context: WriteContext
    ) -> Deletion | None:
        """Mark the namespace as terminating, and return the result of the DELETE request.

        The namespace is removed later, once its content is deleted. If it is terminating already and has no finalizers
        in its spec, return None instead: the caller then removes it at once.
        """
        current = await store.get("", name)
        preconditions = options.preconditions or Preconditions()
        preconditions.uid = current.uid if preconditions.uid is None else preconditions.uid
        options.preconditions = preconditions
        check_preconditions(current, preconditions)
        namespace = Namespace.from_document(current.document)
        if namespace.metadata.deletionTimestamp is not None:
            return Deletion(current, gone=False) if namespace.spec.finalizers else None
        now = written_now(store.clock)
        terminated = await store.guaranteed_update(
            name, lambda newest: terminate(newest, self, options, now), context, partial(_admit, store, context)
        )
        return Deletion(terminated, gone=False)

    async def after_delete(self, stores: Stores, last: StoredObject, context: WriteContext) -> None:
        """If a system namespace was removed, make the server recreate it."""
        stores.kind_services.on_namespace_deleted(last.name)

    def removes_emptied(self, new: Namespace) -> bool:
        """True if an updated namespace has no finalizers in its spec any more, so that it can be removed."""
        return not new.spec.finalizers


class NamespaceStatusStrategy(NamespaceStrategy):
    """Strategy for writing the ``status`` subresource of Namespaces, which cannot change the spec."""

    reset_fields: ClassVar[FieldPaths] = (("spec",),)

    validate_update = staticmethod(validate_namespace_status_update)

    def prepare_for_update(self, new: Namespace, old: Namespace) -> None:
        """Discard an update's changes to ``spec``: the ``status`` subresource writes only the status."""
        new.spec = old.spec


class NamespaceFinalizeStrategy(NamespaceStrategy):
    """Strategy of the ``finalize`` subresource of Namespaces.

    The namespace controller writes this subresource to remove its finalizer from an emptied namespace.
    """

    validate_update = staticmethod(validate_namespace_finalize_update)

    def prepare_for_update(self, new: Namespace, old: Namespace) -> None:
        """Discard an update's changes to ``status``, which only the ``status`` subresource may write."""
        new.status = old.status
