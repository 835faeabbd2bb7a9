"""What ReplicaSets add to the generic verbs."""

from typing import ClassVar

from memkube.apimachinery.field_errors import FieldError, FieldPath
from memkube.apimachinery.time import Time
from memkube.apis.apps.v1.replicasets.defaults import default_replica_set
from memkube.apis.apps.v1.replicasets.types import ReplicaSet, ReplicaSetStatus
from memkube.apis.apps.v1.replicasets.validation import (
    validate_replica_set,
    validate_replica_set_status_update,
    validate_replica_set_update,
)
from memkube.apis.core.v1.pods.strategy_rules import drop_disabled_fields
from memkube.apis.core.v1.podspec.warnings.containers import pod_base_name_warnings
from memkube.apis.core.v1.podspec.warnings.pod_template import pod_template_warnings
from memkube.registry.strategy import FieldPaths, Strategy

_TEMPLATE = FieldPath("spec.template")


class ReplicaSetStrategy(Strategy[ReplicaSet]):
    """Source: ``pkg/registry/apps/replicaset/strategy.go``."""

    reset_fields: ClassVar[FieldPaths] = (("status",),)

    def default(self, obj: ReplicaSet) -> None:
        """See Strategy."""
        default_replica_set(obj)

    def prepare_for_create(self, obj: ReplicaSet, now: Time) -> list[str]:
        """A new ReplicaSet has no status yet."""
        obj.status = ReplicaSetStatus()
        obj.metadata.generation = 1
        drop_disabled_fields(obj.spec.template.spec)
        return []

    def validate(self, obj: ReplicaSet) -> list[FieldError]:
        """See Strategy."""
        return validate_replica_set(obj)

    def warnings_on_create(self, obj: ReplicaSet) -> list[str]:
        """See Strategy."""
        return pod_base_name_warnings(obj.metadata.name) + pod_template_warnings(obj.spec.template, _TEMPLATE)

    def prepare_for_update(self, new: ReplicaSet, old: ReplicaSet) -> None:
        """The status stays; a changed spec is a new generation."""
        new.status = old.status
        drop_disabled_fields(new.spec.template.spec)
        if new.spec != old.spec:
            new.metadata.generation = old.metadata.generation + 1

    def validate_update(self, new: ReplicaSet, old: ReplicaSet) -> list[FieldError]:
        """See Strategy."""
        return validate_replica_set_update(new, old)

    def warnings_on_update(self, new: ReplicaSet, old: ReplicaSet) -> list[str]:
        """See Strategy."""
        changed = new.metadata.generation != old.metadata.generation
        return pod_template_warnings(new.spec.template, _TEMPLATE) if changed else []


class ReplicaSetStatusStrategy(ReplicaSetStrategy):
    """Writes to ``status``."""

    reset_fields: ClassVar[FieldPaths] = (("spec",),)

    def prepare_for_update(self, new: ReplicaSet, old: ReplicaSet) -> None:
        """The spec stays."""
        new.spec = old.spec

    def validate_update(self, new: ReplicaSet, old: ReplicaSet) -> list[FieldError]:
        """See Strategy."""
        return validate_replica_set_status_update(new, old)

    def warnings_on_update(self, new: ReplicaSet, old: ReplicaSet) -> list[str]:
        """See Strategy."""
        return []
