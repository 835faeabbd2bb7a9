"""Tables of StorageClasses."""

from typing import Final

from memkube.apimachinery.model import Document
from memkube.registry.table import AGE, NAME, CellPrinter, Cells, age, column

_DEFAULT_ANNOTATIONS: Final = (
    "storageclass.kubernetes.io/is-default-class",
    "storageclass.beta.kubernetes.io/is-default-class",
)


def is_default_class(storage_class: Document) -> bool:
    """Whether claims that name no class get this one."""
    annotations = storage_class["metadata"].get("annotations") or {}
    return any(annotations.get(name) == "true" for name in _DEFAULT_ANNOTATIONS)


def _cells(storage_class: Document) -> Cells:
    name = storage_class["metadata"].get("name", "")
    return [
        f"{name} (default)" if is_default_class(storage_class) else name,
        storage_class["provisioner"],
        storage_class.get("reclaimPolicy", "Delete"),
        storage_class.get("volumeBindingMode", "Immediate"),
        storage_class.get("allowVolumeExpansion", False),
        age(storage_class),
    ]


PRINTER: Final = CellPrinter(
    (
        NAME,
        column("Provisioner", "Who makes volumes of the class."),
        column("ReclaimPolicy", "What becomes of volumes when their claims are gone."),
        column("VolumeBindingMode", "When volumes are made and bound."),
        column("AllowVolumeExpansion", "Whether volumes may grow."),
        AGE,
    ),
    _cells,
)
