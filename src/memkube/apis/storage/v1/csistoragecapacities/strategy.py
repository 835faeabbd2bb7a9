"""Validation (``pkg/apis/storage/validation``) and warnings of CSIStorageCapacities."""

from typing import ClassVar, Final

from memkube.apimachinery.field_errors import FieldError, FieldPath, invalid
from memkube.apimachinery.meta.validation.labels import validate_label_selector
from memkube.apimachinery.meta.validation.object_meta import NEGATIVE, validate_immutable
from memkube.apimachinery.names import subdomain_name
from memkube.apis.core.v1.metadata import validate_metadata, validate_metadata_update
from memkube.apis.core.v1.podspec.warnings.node_labels import node_selector_warnings
from memkube.apis.storage.v1.csistoragecapacities.types import CSIStorageCapacity
from memkube.registry.declarations.strategy import Strategy

_TOPOLOGY: Final = FieldPath("nodeTopology")
_CLASS: Final = FieldPath("storageClassName")


def validate_storage_capacity(capacity: CSIStorageCapacity, *, any_label_values: bool = False) -> list[FieldError]:
    """Validate a new CSIStorageCapacity.

    If `any_label_values` is True, the node topology may contain values that are not valid label values.
    """
    errors = validate_metadata(capacity.metadata, subdomain_name, namespaced=True)
    errors += validate_label_selector(capacity.nodeTopology, _TOPOLOGY, any_values=any_label_values)
    errors += [invalid(_CLASS, capacity.storageClassName, error) for error in subdomain_name(capacity.storageClassName)]
    if capacity.capacity is not None and capacity.capacity.nano < 0:
        errors.append(invalid("capacity", capacity.capacity, NEGATIVE))
    return errors


def validate_storage_capacity_update(new: CSIStorageCapacity, old: CSIStorageCapacity) -> list[FieldError]:
    """Validate an update of a CSIStorageCapacity by the rules for new ones.

    nodeTopology and storageClassName are immutable.
    """
    any_label_values = bool(validate_label_selector(old.nodeTopology, _TOPOLOGY))
    errors = validate_storage_capacity(new, any_label_values=any_label_values)
    errors += validate_metadata_update(new.metadata, old.metadata)
    errors += validate_immutable(new.nodeTopology, old.nodeTopology, _TOPOLOGY)
    return errors + validate_immutable(new.storageClassName, old.storageClassName, _CLASS)


class CSIStorageCapacityStrategy(Strategy[CSIStorageCapacity]):
    """Rules for writes of CSIStorageCapacities: validation, warnings, and updates only with a resourceVersion.

    Source: ``pkg/registry/storage/csistoragecapacity/strategy.go``.
    """

    allow_unconditional_update: ClassVar[bool] = False

    validate = staticmethod(validate_storage_capacity)
    validate_update = staticmethod(validate_storage_capacity_update)

    def warnings_on_create(self, obj: CSIStorageCapacity) -> list[str]:
        return _warnings(obj)

    def warnings_on_update(self, new: CSIStorageCapacity, old: CSIStorageCapacity) -> list[str]:
        return _warnings(new)


def _warnings(capacity: CSIStorageCapacity) -> list[str]:
    return [] if capacity.nodeTopology is None else [*node_selector_warnings(capacity.nodeTopology, _TOPOLOGY)]
