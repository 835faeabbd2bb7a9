"""Defaults, validation (``pkg/apis/storage/validation``) and warnings of StorageClasses."""

from collections.abc import Sequence
from typing import ClassVar, Final, TypeAlias

from memkube.apimachinery.field_errors import FieldError, FieldPath, duplicate, invalid, not_supported, required
from memkube.apimachinery.meta.validation.labels import validate_label_name
from memkube.apimachinery.meta.validation.object_meta import FIELD_IMMUTABLE
from memkube.apimachinery.names import subdomain_name
from memkube.apimachinery.shown_values import given
from memkube.apis.core.v1.metadata import validate_metadata, validate_metadata_update
from memkube.apis.core.v1.podspec.types.topology_selectors import TopologySelectorTerm
from memkube.apis.core.v1.podspec.warnings.node_labels import RETIRED_NODE_LABELS
from memkube.apis.storage.v1.classes import validate_parameters, validate_provisioner
from memkube.apis.storage.v1.storageclasses.types import StorageClass
from memkube.registry.declarations.strategy import Strategy

_Topology: TypeAlias = dict[str, set[str]]
_RECLAIM_POLICIES: Final = ("Delete", "Retain")
_BINDING_MODES: Final = ("Immediate", "WaitForFirstConsumer")
_FROZEN: Final = ("parameters", "provisioner", "reclaimPolicy", "volumeBindingMode")


def validate_storage_class(storage_class: StorageClass) -> list[FieldError]:
    """Validate a new StorageClass: provisioner, parameters, reclaim policy, binding mode and topologies."""
    errors = validate_metadata(storage_class.metadata, subdomain_name, namespaced=False)
    errors += validate_provisioner(storage_class.provisioner, FieldPath("provisioner"))
    errors += validate_parameters(storage_class.parameters, FieldPath("parameters"))
    policy, mode = storage_class.reclaimPolicy, storage_class.volumeBindingMode
    if policy and policy not in _RECLAIM_POLICIES:
        errors.append(not_supported("reclaimPolicy", policy, _RECLAIM_POLICIES))
    if mode is None:
        errors.append(required("volumeBindingMode"))
    elif mode not in _BINDING_MODES:
        errors.append(not_supported("volumeBindingMode", mode, _BINDING_MODES))
    return errors + _validate_topologies(storage_class.allowedTopologies, FieldPath("allowedTopologies"))


def validate_storage_class_update(new: StorageClass, old: StorageClass) -> list[FieldError]:
    """Validate an update of a StorageClass: parameters, provisioner, reclaim policy and binding mode are immutable."""
    errors = validate_storage_class(new) + validate_metadata_update(new.metadata, old.metadata)
    changed = (name for name in _FROZEN if getattr(new, name) != getattr(old, name))
    return errors + [invalid(name, given(new, name), FIELD_IMMUTABLE) for name in changed]


def _validate_topologies(terms: Sequence[TopologySelectorTerm], path: FieldPath) -> list[FieldError]:
    """Validate the topology terms of a StorageClass, no two of which may be equal.

    As in kube-apiserver, an empty term is reported as a duplicate as many times as the list has terms, even if it is
    the only empty term.
    """
    errors: list[FieldError] = []
    seen: list[_Topology] = []
    for index, term in enumerate(terms):
        expressions_path = path.item(index).child("matchLabelExpressions")
        topology, found = _validate_term(term, expressions_path)
        errors += found
        same = sum(other == topology for other in seen) + (0 if topology else len(terms))
        errors += [duplicate(expressions_path, "")] * same
        seen.append(topology)
    return errors


def _validate_term(term: TopologySelectorTerm, path: FieldPath) -> tuple[_Topology, list[FieldError]]:
    """Validate a topology term. Returns its values by label key, and the errors."""
    errors: list[FieldError] = []
    topology: _Topology = {}
    for index, expression in enumerate(term.matchLabelExpressions):
        item = path.item(index)
        values, values_path = expression.values, item.child("values")
        if not values:
            errors.append(required(values_path))
        repeated = (number for number, value in enumerate(values) if value in values[:number])
        errors += [duplicate(values_path.item(number), values[number]) for number in repeated]
        errors += validate_label_name(expression.key, item.child("key"))
        if expression.key in topology:
            errors.append(duplicate(item.child("key"), expression.key))
        topology[expression.key] = set(values)
    return topology, errors


class StorageClassStrategy(Strategy[StorageClass]):
    """Rules for writes of StorageClasses: defaults, validation and warnings. A DELETE returns the deleted object.

    Source: ``pkg/registry/storage/storageclass/strategy.go``.
    """

    returns_deleted: ClassVar[bool] = True

    validate = staticmethod(validate_storage_class)
    validate_update = staticmethod(validate_storage_class_update)

    def default(self, obj: StorageClass) -> None:
        obj.reclaimPolicy = "Delete" if obj.reclaimPolicy is None else obj.reclaimPolicy
        obj.volumeBindingMode = "Immediate" if obj.volumeBindingMode is None else obj.volumeBindingMode

    def warnings_on_create(self, obj: StorageClass) -> list[str]:
        return _warnings(obj)

    def warnings_on_update(self, new: StorageClass, old: StorageClass) -> list[str]:
        return _warnings(new)


def _warnings(storage_class: StorageClass) -> list[str]:
    """Return warnings about a StorageClass for the response's Warning headers (``pkg/api/storage/util.go``)."""
    path = FieldPath("allowedTopologies")
    return [
        f"{path.item(index).child('matchLabelExpressions').item(number).child('key')}: "
        f"{RETIRED_NODE_LABELS[expression.key]}"
        for index, term in enumerate(storage_class.allowedTopologies)
        for number, expression in enumerate(term.matchLabelExpressions)
        if expression.key in RETIRED_NODE_LABELS
    ]
