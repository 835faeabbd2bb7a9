from typing import ClassVar

from memkube.apis.apps.v1.deployments.types import Deployment
from memkube.apis.apps.v1.deployments.validation import (
    ROLLBACK_TO,
    default_deployment,
    validate_deployment,
    validate_deployment_status_update,
    validate_deployment_update,
)
from memkube.apis.apps.v1.numbers import annotated_number
from memkube.apis.core.v1.workloads import WorkloadStrategy
from memkube.registry.declarations.strategy import FieldPaths, StatusStrategy


class DeploymentStrategy(WorkloadStrategy[Deployment]):
    """Defaults and validation of Deployments; a change of spec or annotations increments the generation.

    Source: ``pkg/registry/apps/deployment/strategy.go``.
    """

    validate = staticmethod(validate_deployment)
    validate_update = staticmethod(validate_deployment_update)

    def default(self, obj: Deployment) -> None:
        """Set the defaults of a Deployment, and rewrite the annotation for rollbacks as a plain number.

        An empty annotation is removed.
        """
        default_deployment(obj)
        annotations = obj.metadata.annotations
        if ROLLBACK_TO in annotations:
            written = annotations[ROLLBACK_TO]
            others = {name: text for name, text in annotations.items() if name != ROLLBACK_TO}
            if written:
                prefix = f"failed to parse annotation[{ROLLBACK_TO}]={written} as int64: "
                others[ROLLBACK_TO] = str(annotated_number(written, prefix))
            obj.metadata.annotations = others

    def is_new_generation(self, new: Deployment, old: Deployment) -> bool:
        """True if spec or annotations changed. Annotations count, because the controller copies them to ReplicaSets."""
        return super().is_new_generation(new, old) or new.metadata.annotations != old.metadata.annotations


class DeploymentStatusStrategy(StatusStrategy[Deployment], DeploymentStrategy):
    """Strategy for writing the ``status`` subresource of Deployments, which cannot change the spec."""

    reset_fields: ClassVar[FieldPaths] = (("spec",), ("metadata", "labels"))

    validate_update = staticmethod(validate_deployment_status_update)

    def prepare_for_update(self, new: Deployment, old: Deployment) -> None:
        """Discard an update's changes to spec and labels: the ``status`` subresource writes only the status.

        The annotation for rollbacks stays too, because the internal version has it in the spec.
        """
        super().prepare_for_update(new, old)
        new.metadata.labels = old.metadata.labels
        kept = old.metadata.annotations
        others = {name: text for name, text in new.metadata.annotations.items() if name != ROLLBACK_TO}
        new.metadata.annotations = others | {name: text for name, text in kept.items() if name == ROLLBACK_TO}
