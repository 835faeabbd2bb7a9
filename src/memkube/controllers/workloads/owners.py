"""Controlling owners of objects, as references."""

from typing import Any

from memkube.apimachinery.model import Document
from memkube.registry.resource import Resource
from memkube.registry.stored import StoredObject


def controller_reference(document: Document) -> dict[str, Any] | None:
    """The owner reference that says ``controller: true``."""
    references: list[dict[str, Any]] = document["metadata"].get("ownerReferences") or []
    return next((reference for reference in references if reference.get("controller")), None)


def controller_uid(stored: StoredObject | None) -> str:
    """The uid of an object's controller, empty where it has none."""
    reference = controller_reference(stored.document) if stored is not None else None
    return reference["uid"] if reference else ""


def reference_to(owner: StoredObject, resource: Resource) -> Document:
    """The reference that makes `owner` the controller of an object."""
    return {
        "apiVersion": resource.api_version,
        "kind": resource.kind,
        "name": owner.name,
        "uid": owner.uid,
        "controller": True,
        "blockOwnerDeletion": True,
    }
