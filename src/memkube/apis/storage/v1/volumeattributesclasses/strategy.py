"""Validation (``pkg/apis/storage/validation``) and strategy of VolumeAttributesClasses."""

from typing import ClassVar, Final

from memkube.apimachinery.field_errors import FieldError, FieldPath, forbidden, required
from memkube.apimachinery.names import subdomain_name
from memkube.apis.core.v1.metadata import validate_metadata, validate_metadata_update
from memkube.apis.storage.v1.classes import validate_parameters, validate_provisioner
from memkube.apis.storage.v1.volumeattributesclasses.types import VolumeAttributesClass
from memkube.registry.declarations.strategy import Strategy

_FROZEN: Final = ("driverName", "parameters")


def validate_volume_attributes_class(attributes_class: VolumeAttributesClass) -> list[FieldError]:
    """Validate a new VolumeAttributesClass: a valid driver name, and at least one parameter."""
    errors = validate_metadata(attributes_class.metadata, subdomain_name, namespaced=False)
    errors += validate_provisioner(attributes_class.driverName, FieldPath("driverName"))
    errors += validate_parameters(attributes_class.parameters, FieldPath("parameters"))
    if not attributes_class.parameters:
        errors.append(required("parameters", "must contain at least one key/value pair"))
    return errors


def validate_volume_attributes_class_update(new: VolumeAttributesClass, old: VolumeAttributesClass) -> list[FieldError]:
    """Validate an update of a VolumeAttributesClass: driver and parameters are immutable."""
    errors = validate_metadata_update(new.metadata, old.metadata)
    changed = (name for name in _FROZEN if getattr(new, name) != getattr(old, name))
    errors += [forbidden(name, f"updates to {name} are forbidden.") for name in changed]
    return errors + validate_volume_attributes_class(new)


class VolumeAttributesClassStrategy(Strategy[VolumeAttributesClass]):
    """Rules for writes of VolumeAttributesClasses: validation, and a DELETE that returns the deleted object.

    Source: ``pkg/registry/storage/volumeattributesclass/strategy.go``.
    """

    returns_deleted: ClassVar[bool] = True

    validate = staticmethod(validate_volume_attributes_class)
    validate_update = staticmethod(validate_volume_attributes_class_update)
