"""What ReplicationControllers add to the generic verbs, and what they get where the client says nothing."""

from typing import ClassVar

from memkube.apimachinery.field_errors import FieldError
from memkube.apis.core.v1.podspec.defaults import default_pod_template
from memkube.apis.core.v1.replicationcontrollers.types import ReplicationController
from memkube.apis.core.v1.replicationcontrollers.validation import (
    validate_replication_controller,
    validate_replication_controller_status_update,
    validate_replication_controller_update,
)
from memkube.apis.core.v1.workloads import WorkloadStrategy
from memkube.registry.declarations.strategy import GarbageCollection, StatusStrategy


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


class ReplicationControllerStrategy(WorkloadStrategy[ReplicationController]):
    """Source: ``pkg/registry/core/replicationcontroller/strategy.go``."""

    garbage_collection: ClassVar[GarbageCollection] = "orphan"

    def default(self, obj: ReplicationController) -> None:
        """See Strategy."""
        default_replication_controller(obj)

    def validate(self, obj: ReplicationController) -> list[FieldError]:
        """See Strategy."""
        return validate_replication_controller(obj)

    def validate_update(self, new: ReplicationController, old: ReplicationController) -> list[FieldError]:
        """See Strategy."""
        return validate_replication_controller_update(new, old)

    def fill_as_read(self, obj: ReplicationController) -> bool:
        """A status may be written in an object without labels: they come from the template again."""
        template = obj.spec.template
        bare = not obj.metadata.labels and template is not None and bool(template.metadata.labels)
        if bare and template is not None:
            obj.metadata.labels = dict(template.metadata.labels)
        return bare

    def warnings_on_update(self, new: ReplicationController, old: ReplicationController) -> list[str]:
        """About the template that is replaced, as in the reference, and not about the new one."""
        return self.spec_warnings(old) if new.metadata.generation != old.metadata.generation else []


class ReplicationControllerStatusStrategy(StatusStrategy[ReplicationController], ReplicationControllerStrategy):
    """Writes to ``status``."""

    def validate_update(self, new: ReplicationController, old: ReplicationController) -> list[FieldError]:
        """See Strategy."""
        return validate_replication_controller_status_update(new, old)
