"""What namespaces add to the generic verbs."""

from typing import ClassVar

from memkube.apimachinery.field_errors import FieldError
from memkube.apimachinery.time import Time
from memkube.apis.core.v1.namespaces.defaults import default_namespace
from memkube.apis.core.v1.namespaces.types import Namespace, NamespaceStatus
from memkube.apis.core.v1.namespaces.validation import (
    validate_namespace,
    validate_namespace_finalize_update,
    validate_namespace_status_update,
    validate_namespace_update,
)
from memkube.registry.strategy import FieldPaths, Strategy

FINALIZER = "kubernetes"
NAME_LABEL = "kubernetes.io/metadata.name"


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
