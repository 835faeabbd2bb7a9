"""Rules for writing ControllerRevisions: the data must be an object and is immutable (``pkg/apis/apps/validation``)."""

from typing import Final

from memkube.apimachinery.field_errors import FieldError, FieldPath, invalid, required
from memkube.apimachinery.meta.validation.object_meta import validate_immutable, validate_nonnegative
from memkube.apimachinery.names import subdomain_name
from memkube.apimachinery.scalars import InvalidJson
from memkube.apis.apps.v1.controllerrevisions.types import ControllerRevision
from memkube.apis.core.v1.metadata import validate_metadata, validate_metadata_update
from memkube.registry.declarations.strategy import Strategy

_DATA: Final = FieldPath("data")


def validate_controller_revision(revision: ControllerRevision) -> list[FieldError]:
    """Validate a new ControllerRevision: it has data, which is a JSON object."""
    errors = _errors(revision)
    if revision.data is None:
        errors.append(required(_DATA, "data is mandatory"))
    elif isinstance(revision.data, InvalidJson):
        errors.append(invalid(_DATA, "<value omitted>", f"error parsing data: {revision.data.error}"))
    elif not isinstance(revision.data, dict):
        errors.append(required(_DATA, "data must be a valid JSON object"))
    return errors


def validate_controller_revision_update(new: ControllerRevision, old: ControllerRevision) -> list[FieldError]:
    """Validate an update of a ControllerRevision: the data is immutable."""
    errors = validate_metadata_update(new.metadata, old.metadata) + _errors(new)
    return errors + validate_immutable(new.data, old.data, _DATA)


def _errors(revision: ControllerRevision) -> list[FieldError]:
    errors = validate_metadata(revision.metadata, subdomain_name, namespaced=True)
    return errors + validate_nonnegative(revision.revision, FieldPath("revision"))


class ControllerRevisionStrategy(Strategy[ControllerRevision]):
    """Validation of ControllerRevisions: their data is a JSON object and immutable.

    Source: ``pkg/registry/apps/controllerrevision/strategy.go``.
    """

    validate = staticmethod(validate_controller_revision)
    validate_update = staticmethod(validate_controller_revision_update)
