"""Validation shared by StorageClasses and VolumeAttributesClasses, and functions on the default StorageClass.

Source: ``pkg/apis/storage/validation``.
"""

from collections.abc import Iterable, Mapping
from typing import Final

from memkube.apimachinery.field_errors import FieldError, FieldPath, invalid, required, too_long
from memkube.apimachinery.model import Document
from memkube.apimachinery.names import is_qualified_name

_DEFAULT_ANNOTATIONS: Final = (
    "storageclass.kubernetes.io/is-default-class",
    "storageclass.beta.kubernetes.io/is-default-class",
)
SIMULATED_PROVISIONER: Final = "memkube.dev/simulated"
"""Provisioner of the StorageClasses for which memkube itself creates PersistentVolumes."""
_MOST_PARAMETERS: Final = 512
_PARAMETERS_SIZE: Final = 256 * 1024


def validate_provisioner(provisioner: str, path: FieldPath) -> list[FieldError]:
    """Validate the provisioner of a StorageClass: a qualified name, in which upper case is allowed."""
    if not provisioner:
        return [required(path)]
    lowered = provisioner.lower()
    return [invalid(path, lowered, error) for error in is_qualified_name(lowered)]


def validate_parameters(parameters: Mapping[str, str], path: FieldPath) -> list[FieldError]:
    """Validate the parameters of a class: non-empty names, and limits on number and total size."""
    if len(parameters) > _MOST_PARAMETERS:
        return [too_long(path, _MOST_PARAMETERS)]
    errors = [invalid(path, "", "field can not be empty.")] if "" in parameters else []
    if sum(len(name.encode()) + len(value.encode()) for name, value in parameters.items()) > _PARAMETERS_SIZE:
        errors.append(too_long(path, _PARAMETERS_SIZE))
    return errors


def is_default_class(storage_class: Document) -> bool:
    """True if claims that name no storage class get this StorageClass."""
    annotations = storage_class["metadata"].get("annotations") or {}
    return any(annotations.get(name) == "true" for name in _DEFAULT_ANNOTATIONS)


def default_class(classes: Iterable[Document]) -> str | None:
    """Return the name of the newest default StorageClass; None if there is none.

    Of several equally old classes, the first by name is returned.
    """
    defaults = [each["metadata"] for each in classes if is_default_class(each)]
    newest = max((metadata["creationTimestamp"] for metadata in defaults), default="")
    names = (metadata["name"] for metadata in defaults if metadata["creationTimestamp"] == newest)
    return min(names, default=None)


def initial_class() -> Document:
    """Return the default StorageClass, which memkube creates in a cluster with simulated nodes."""
    return {
        "metadata": {"name": "standard", "annotations": {_DEFAULT_ANNOTATIONS[0]: "true"}},
        "provisioner": SIMULATED_PROVISIONER,
        "reclaimPolicy": "Delete",
        "allowVolumeExpansion": True,
        "volumeBindingMode": "Immediate",
    }
