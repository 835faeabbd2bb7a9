from typing import ClassVar

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
    """Set the defaults of a ReplicationController in place.

    Its labels and selector default to the labels of the pod template.
    """
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
    """Defaults and validates ReplicationControllers that clients create and update.

    By default, a DELETE orphans the pods of a ReplicationController.
    Source: ``pkg/registry/core/replicationcontroller/strategy.go``.
    """

    garbage_collection: ClassVar[GarbageCollection] = "orphan"

    default = staticmethod(default_replication_controller)
    validate = staticmethod(validate_replication_controller)
    validate_update = staticmethod(validate_replication_controller_update)

    def fill_as_read(self, obj: ReplicationController) -> bool:
        """Copy the labels of the pod template to a stored ReplicationController without labels.

        A status update can store a ReplicationController without labels. Returns True if labels were copied.
        """
        template = obj.spec.template
        bare = not obj.metadata.labels and template is not None and bool(template.metadata.labels)
        if bare and template is not None:
            obj.metadata.labels = dict(template.metadata.labels)
        return bare

    def warnings_on_update(self, new: ReplicationController, old: ReplicationController) -> list[str]:
        """Return warnings about the pod template if the spec changed.

        As in kube-apiserver, the warnings are about the old pod template.
        """
        return self.spec_warnings(old) if new.metadata.generation != old.metadata.generation else []


class ReplicationControllerStatusStrategy(StatusStrategy[ReplicationController], ReplicationControllerStrategy):
    """Strategy for writing the ``status`` subresource of ReplicationControllers, which cannot change the spec."""

    validate_update = staticmethod(validate_replication_controller_status_update)
