"""What namespaces add to the generic verbs."""

from functools import partial
from typing import ClassVar

from memkube.apimachinery.field_errors import FieldError
from memkube.apimachinery.meta.v1.delete_options import DeleteOptions, Preconditions
from memkube.apimachinery.time import Time
from memkube.apis.core.v1.namespaces.defaults import default_namespace
from memkube.apis.core.v1.namespaces.termination import check_preconditions, terminate
from memkube.apis.core.v1.namespaces.types import Namespace, NamespaceStatus
from memkube.apis.core.v1.namespaces.validation import (
    validate_namespace,
    validate_namespace_finalize_update,
    validate_namespace_status_update,
    validate_namespace_update,
)
from memkube.registry.clock import written_now
from memkube.registry.context import WriteContext
from memkube.registry.interface import Deletion, ObjectStore
from memkube.registry.stored import StoredObject
from memkube.registry.strategy import FieldPaths, Strategy

FINALIZER = "kubernetes"
NAME_LABEL = "kubernetes.io/metadata.name"


async def _admit(store: ObjectStore, context: WriteContext, current: StoredObject) -> None:
    await store.admit_deletion(current, context)


class NamespaceStrategy(Strategy[Namespace]):
    """Source: ``pkg/registry/core/namespace/strategy.go``."""

    returns_deleted: ClassVar[bool] = True
    reset_fields: ClassVar[FieldPaths] = (("status",),)

    def default(self, obj: Namespace) -> None:
        """See Strategy."""
        default_namespace(obj)

    def prepare_for_create(self, obj: Namespace, now: Time) -> list[str]:
        """A new namespace is active, and held until its content is gone."""
        obj.status = NamespaceStatus(phase="Active")
        if FINALIZER not in obj.spec.finalizers:
            obj.spec.finalizers = [*obj.spec.finalizers, FINALIZER]
        return []

    def validate(self, obj: Namespace) -> list[FieldError]:
        """See Strategy."""
        return validate_namespace(obj)

    def canonicalize(self, obj: Namespace) -> None:
        """The name is a label too, so that selectors can choose namespaces by name."""
        obj.metadata.labels = {**obj.metadata.labels, NAME_LABEL: obj.metadata.name}

    def prepare_for_update(self, new: Namespace, old: Namespace) -> None:
        """The status and the content's finalizers stay."""
        new.spec.finalizers = old.spec.finalizers
        new.status = old.status

    def validate_update(self, new: Namespace, old: Namespace) -> list[FieldError]:
        """See Strategy."""
        return validate_namespace(new) + validate_namespace_update(new, old)

    async def begin_delete(
        self, store: ObjectStore, name: str, options: DeleteOptions, context: WriteContext
    ) -> Deletion | None:
        """Marks the namespace first; leaves its removal to the generic deletion once its content is gone."""
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

    def removes_emptied(self, new: Namespace) -> bool:
        """A namespace goes once nothing holds its content either."""
        return not new.spec.finalizers


class NamespaceStatusStrategy(NamespaceStrategy):
    """Writes to ``status``."""

    reset_fields: ClassVar[FieldPaths] = (("spec",),)

    def prepare_for_update(self, new: Namespace, old: Namespace) -> None:
        """The spec stays."""
        new.spec = old.spec

    def validate_update(self, new: Namespace, old: Namespace) -> list[FieldError]:
        """See Strategy."""
        return validate_namespace_status_update(new, old)


class NamespaceFinalizeStrategy(NamespaceStrategy):
    """Writes to ``finalize``: whoever cleared the content takes its finalizer."""

    def prepare_for_update(self, new: Namespace, old: Namespace) -> None:
        """The status stays."""
        new.status = old.status

    def validate_update(self, new: Namespace, old: Namespace) -> list[FieldError]:
        """See Strategy."""
        return validate_namespace_finalize_update(new, old)
