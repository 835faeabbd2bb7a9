"""What Deployments add to the generic verbs."""

from typing import ClassVar

from memkube.apimachinery.field_errors import FieldError, FieldPath
from memkube.apimachinery.time import Time
from memkube.apis.apps.v1.deployments.types import Deployment, DeploymentStatus
from memkube.apis.apps.v1.deployments.validation import (
    default_deployment,
    validate_deployment,
    validate_deployment_status_update,
    validate_deployment_update,
)
from memkube.apis.core.v1.pods.strategy_rules import drop_disabled_fields
from memkube.apis.core.v1.podspec.warnings.containers import pod_base_name_warnings
from memkube.apis.core.v1.podspec.warnings.pod_template import pod_template_warnings
from memkube.registry.strategy import FieldPaths, Strategy

_TEMPLATE = FieldPath("spec.template")


class DeploymentStrategy(Strategy[Deployment]):
    """Source: ``pkg/registry/apps/deployment/strategy.go``."""

    reset_fields: ClassVar[FieldPaths] = (("status",),)

    def default(self, obj: Deployment) -> None:
        """See Strategy."""
        default_deployment(obj)

    def prepare_for_create(self, obj: Deployment, now: Time) -> list[str]:
        """A new Deployment has no status yet."""
        obj.status = DeploymentStatus()
        obj.metadata.generation = 1
        drop_disabled_fields(obj.spec.template.spec)
        return []

    def validate(self, obj: Deployment) -> list[FieldError]:
        """See Strategy."""
        return validate_deployment(obj)

    def warnings_on_create(self, obj: Deployment) -> list[str]:
        """See Strategy."""
        return pod_base_name_warnings(obj.metadata.name) + pod_template_warnings(obj.spec.template, _TEMPLATE)

    def prepare_for_update(self, new: Deployment, old: Deployment) -> None:
        """The status stays; what ReplicaSets are made of, annotations included, is a new generation when it changes."""
        new.status = old.status
        drop_disabled_fields(new.spec.template.spec)
        if new.spec != old.spec or new.metadata.annotations != old.metadata.annotations:
            new.metadata.generation = old.metadata.generation + 1

    def validate_update(self, new: Deployment, old: Deployment) -> list[FieldError]:
        """See Strategy."""
        return validate_deployment_update(new, old)

    def warnings_on_update(self, new: Deployment, old: Deployment) -> list[str]:
        """See Strategy."""
        changed = new.metadata.generation != old.metadata.generation
        return pod_template_warnings(new.spec.template, _TEMPLATE) if changed else []


class DeploymentStatusStrategy(DeploymentStrategy):
    """Writes to ``status``."""

    reset_fields: ClassVar[FieldPaths] = (("spec",), ("metadata", "labels"))

    def prepare_for_update(self, new: Deployment, old: Deployment) -> None:
        """The spec stays, and so do the labels."""
        new.spec = old.spec
        new.metadata.labels = old.metadata.labels

    def validate_update(self, new: Deployment, old: Deployment) -> list[FieldError]:
        """See Strategy."""
        return validate_deployment_status_update(new, old)

    def warnings_on_update(self, new: Deployment, old: Deployment) -> list[str]:
        """See Strategy."""
        return []
