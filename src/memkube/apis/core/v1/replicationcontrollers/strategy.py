"""What ReplicationControllers add to the generic verbs, and what they get where the client says nothing."""

from typing import ClassVar

from memkube.apimachinery.field_errors import FieldError, FieldPath
from memkube.apimachinery.time import Time
from memkube.apis.core.v1.pods.strategy_rules import drop_disabled_fields
from memkube.apis.core.v1.podspec.defaults import default_pod_template
from memkube.apis.core.v1.podspec.warnings.containers import pod_base_name_warnings
from memkube.apis.core.v1.podspec.warnings.pod_template import pod_template_warnings
from memkube.apis.core.v1.replicationcontrollers.types import ReplicationController, ReplicationControllerStatus
from memkube.apis.core.v1.replicationcontrollers.validation import (
    validate_replication_controller,
    validate_replication_controller_status_update,
    validate_replication_controller_update,
)
from memkube.registry.strategy import FieldPaths, GarbageCollection, Strategy

_TEMPLATE = FieldPath("spec.template")


def default_replication_controller(controller: ReplicationController) -> None:
    """Fills a controller in place: its labels and selector come from the template."""
    spec = controller.spec
    if spec.replicas is None:
        spec.replicas = 1
    if spec.template is None:
        return
    default_pod_template(spec.template)
    if labels := spec.template.metadata.labels:
        spec.selector = spec.selector or dict(labels)
        controller.metadata.labels = controller.metadata.labels or dict(labels)


class ReplicationControllerStrategy(Strategy[ReplicationController]):
    """Source: ``pkg/registry/core/replicationcontroller/strategy.go``."""

    garbage_collection: ClassVar[GarbageCollection] = "orphan"
    reset_fields: ClassVar[FieldPaths] = (("status",),)

    def default(self, obj: ReplicationController) -> None:
        """See Strategy."""
        default_replication_controller(obj)

    def prepare_for_create(self, obj: ReplicationController, now: Time) -> list[str]:
        """A new controller has no status yet."""
        obj.status = ReplicationControllerStatus()
        obj.metadata.generation = 1
        _drop_disabled(obj)
        return []

    def validate(self, obj: ReplicationController) -> list[FieldError]:
        """See Strategy."""
        return validate_replication_controller(obj)

    def warnings_on_create(self, obj: ReplicationController) -> list[str]:
        """See Strategy."""
        warnings = pod_base_name_warnings(obj.metadata.name)
        return warnings + (pod_template_warnings(obj.spec.template, _TEMPLATE) if obj.spec.template else [])

    def prepare_for_update(self, new: ReplicationController, old: ReplicationController) -> None:
        """The status stays; a changed spec is a new generation."""
        new.status = old.status
        _drop_disabled(new)
        if new.spec != old.spec:
            new.metadata.generation = old.metadata.generation + 1

    def validate_update(self, new: ReplicationController, old: ReplicationController) -> list[FieldError]:
        """See Strategy."""
        return validate_replication_controller_update(new, old)

    def warnings_on_update(self, new: ReplicationController, old: ReplicationController) -> list[str]:
        """About the template that is replaced, as in the reference, and not about the new one."""
        changed = new.metadata.generation != old.metadata.generation
        return pod_template_warnings(old.spec.template, _TEMPLATE) if changed and old.spec.template else []


class ReplicationControllerStatusStrategy(ReplicationControllerStrategy):
    """Writes to ``status``."""

    reset_fields: ClassVar[FieldPaths] = (("spec",),)

    def prepare_for_update(self, new: ReplicationController, old: ReplicationController) -> None:
        """The spec stays."""
        new.spec = old.spec

    def validate_update(self, new: ReplicationController, old: ReplicationController) -> list[FieldError]:
        """See Strategy."""
        return validate_replication_controller_status_update(new, old)

    def warnings_on_update(self, new: ReplicationController, old: ReplicationController) -> list[str]:
        """See Strategy."""
        return []


def _drop_disabled(controller: ReplicationController) -> None:
    if controller.spec.template is not None:
        drop_disabled_fields(controller.spec.template.spec)
