from typing import ClassVar, Final

from memkube.apimachinery.field_errors import FieldError, FieldPath, invalid
from memkube.apimachinery.names import long_name
from memkube.apimachinery.time import Time
from memkube.apis.core.v1.metadata import validate_metadata, validate_metadata_update
from memkube.apis.core.v1.podspec.validation.resources import is_extended_resource
from memkube.apis.resource.v1.device_rules import (
    MOST_CONFIGURATIONS,
    validate_each,
    validate_opaque,
)
from memkube.apis.resource.v1.deviceclasses.types import DeviceClass, DeviceClassConfiguration, DeviceClassSpec
from memkube.apis.resource.v1.selectors import validate_selectors
from memkube.registry.declarations.strategy import Strategy

_SPEC: Final = FieldPath("spec")


def validate_spec(spec: DeviceClassSpec, old: DeviceClassSpec | None = None) -> list[FieldError]:
    """Validate the selectors, configurations and extended resource name in the spec of a DeviceClass.

    `old` is the spec before an update, or None. If the configurations are unchanged, they may exceed the size limit.
    """
    stored = old is not None and spec.config == old.config

    def configuration_rule(config: DeviceClassConfiguration, path: FieldPath) -> list[FieldError]:
        return validate_opaque(config.opaque, path, stored=stored)

    errors = validate_selectors(spec.selectors, _SPEC.child("selectors"))
    errors += validate_each(spec.config, MOST_CONFIGURATIONS, configuration_rule, _SPEC.child("config"))
    name = spec.extendedResourceName
    if name is not None and not is_extended_resource(name):
        errors.append(invalid(_SPEC.child("extendedResourceName"), name, "must be a valid extended resource name"))
    return errors


class DeviceClassStrategy(Strategy[DeviceClass]):
    """Rules for writing DeviceClasses: validation, and the generation, which counts changes of the spec.

    Source: ``pkg/registry/resource/deviceclass/strategy.go``.
    """

    returns_deleted: ClassVar[bool] = True

    def prepare_for_create(self, obj: DeviceClass, now: Time) -> list[str]:
        obj.metadata.generation = 1
        return []

    def validate(self, obj: DeviceClass) -> list[FieldError]:
        return validate_metadata(obj.metadata, long_name, namespaced=False) + validate_spec(obj.spec)

    def prepare_for_update(self, new: DeviceClass, old: DeviceClass) -> None:
        """Increment the generation of a DeviceClass if its spec changed."""
        if new.spec != old.spec:
            new.metadata.generation = old.metadata.generation + 1

    def validate_update(self, new: DeviceClass, old: DeviceClass) -> list[FieldError]:
        errors = validate_metadata(new.metadata, long_name, namespaced=False)
        errors += validate_metadata_update(new.metadata, old.metadata)
        return errors + validate_spec(new.spec, old.spec)
