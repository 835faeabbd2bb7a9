"""Validation (``pkg/apis/storage/validation``) and strategy of CSINodes."""

from typing import ClassVar, Final

from memkube.apimachinery.field_errors import FieldError, FieldPath, duplicate, invalid, required
from memkube.apimachinery.meta.validation.object_meta import FIELD_IMMUTABLE, validate_nonnegative
from memkube.apimachinery.names import is_qualified_name, subdomain_name
from memkube.apimachinery.shown_values import InternalValue
from memkube.apis.core.v1.metadata import validate_metadata
from memkube.apis.core.v1.podspec.validation.volume_sources import validate_driver_name
from memkube.apis.storage.v1.csinodes.types import CSINode, CSINodeDriver
from memkube.registry.declarations.strategy import Strategy

_DRIVERS: Final = FieldPath("spec.drivers")
_NODE_ID_LIMIT: Final = 256


def validate_csi_node(node: CSINode) -> list[FieldError]:
    """Validate a new CSINode: drivers are valid and unique."""
    errors = validate_metadata(node.metadata, subdomain_name, namespaced=False)
    names: set[str] = set()
    for index, driver in enumerate(node.spec.drivers):
        path = _DRIVERS.item(index)
        errors += _validate_driver(driver, path)
        if driver.name in names:
            errors.append(duplicate(path.child("name"), driver.name))
        names.add(driver.name)
        errors += _validate_topology_keys(driver.topologyKeys, path)
    return errors


def validate_csi_node_update(new: CSINode, old: CSINode) -> list[FieldError]:
    """Validate an update of a CSINode by the rules for new CSINodes.

    Of a driver that the old CSINode has, only the volume limit may change.
    """
    errors = validate_csi_node(new)
    for before in map(_without_count, old.spec.drivers):
        same = (driver for driver in map(_without_count, new.spec.drivers) if driver.name == before.name)
        errors += [invalid(_DRIVERS, InternalValue(driver), FIELD_IMMUTABLE) for driver in same if driver != before]
    return errors


def _without_count(driver: CSINodeDriver) -> CSINodeDriver:
    return driver.model_copy(update={"allocatable": None})


def _validate_driver(driver: CSINodeDriver, path: FieldPath) -> list[FieldError]:
    errors = validate_driver_name(driver.name, path.child("name"))
    id_path = path.child("nodeID")
    if not driver.nodeID:
        errors.append(required(id_path))
    if len(driver.nodeID.encode()) > _NODE_ID_LIMIT:
        errors.append(invalid(id_path, driver.nodeID, f"must be {_NODE_ID_LIMIT} characters or less"))
    if driver.allocatable is not None and driver.allocatable.count is not None:
        errors += validate_nonnegative(driver.allocatable.count, path.child("allocatable").child("count"))
    return errors


def _validate_topology_keys(keys: list[str], path: FieldPath) -> list[FieldError]:
    """Validate the topology keys of a driver: unique label names.

    As in kube-apiserver, errors do not say which key of the list they are about.
    """
    errors: list[FieldError] = []
    for index, key in enumerate(keys):
        if not key:
            errors.append(required(path))
        if key in keys[:index]:
            errors.append(duplicate(path, key))
        errors += [invalid(path, key, error) for error in is_qualified_name(key)]
    return errors


class CSINodeStrategy(Strategy[CSINode]):
    """Rules for writes of CSINodes: validation, and updates only with a resourceVersion.

    A DELETE returns the deleted object. Source: ``pkg/registry/storage/csinode/strategy.go``.
    """

    allow_unconditional_update: ClassVar[bool] = False
    returns_deleted: ClassVar[bool] = True

    validate = staticmethod(validate_csi_node)
    validate_update = staticmethod(validate_csi_node_update)
