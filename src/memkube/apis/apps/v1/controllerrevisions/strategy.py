"""What ControllerRevisions add to the generic verbs: their validation."""

from memkube.apimachinery.field_errors import FieldError
from memkube.apis.apps.v1.controllerrevisions.types import ControllerRevision
from memkube.apis.apps.v1.controllerrevisions.validation import (
    validate_controller_revision,
    validate_controller_revision_update,
)
from memkube.registry.strategy import Strategy


class ControllerRevisionStrategy(Strategy[ControllerRevision]):
    """Source: ``pkg/registry/apps/controllerrevision/strategy.go``."""

    def validate(self, obj: ControllerRevision) -> list[FieldError]:
        """See Strategy."""
        return validate_controller_revision(obj)

    def validate_update(self, new: ControllerRevision, old: ControllerRevision) -> list[FieldError]:
        """See Strategy."""
        return validate_controller_revision_update(new, old)
