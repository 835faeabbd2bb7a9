"""What owner references say of the objects that they mean."""

from collections.abc import Mapping
from typing import Any, NamedTuple, TypeAlias

from memkube.apis.core.v1.references import ObjectReference
from memkube.registry.resource import Resource
from memkube.registry.stored import StoredObject

Reference: TypeAlias = Mapping[str, Any]
"""An owner reference as JSON."""


class Identity(NamedTuple):
    """An object, as it is or as somebody believes it to be. The order of fields is that of the reference."""

    kind: str
    api_version: str
    namespace: str
    name: str
    uid: str

    @classmethod
    def of(cls, resource: Resource, stored: StoredObject) -> "Identity":
        """The identity of an object that exists."""
        return cls(resource.kind, resource.api_version, stored.namespace, stored.name, stored.uid)

    @classmethod
    def referred_to(cls, reference: Reference, namespace: str) -> "Identity":
        """The owner that a reference on an object of `namespace` means."""
        return cls(reference["kind"], reference["apiVersion"], namespace, reference["name"], reference["uid"])

    def reference(self) -> ObjectReference:
        """The object as an event names it."""
        return ObjectReference(
            kind=self.kind, apiVersion=self.api_version, namespace=self.namespace, name=self.name, uid=self.uid
        )

    def is_meant_by(self, reference: Reference) -> bool:
        """Whether a reference describes this object, leaving its namespace aside."""
        return (self.kind, self.api_version, self.name, self.uid) == (
            reference["kind"],
            reference["apiVersion"],
            reference["name"],
            reference["uid"],
        )


def blocks(reference: Reference) -> bool:
    """Whether the owner's foreground deletion waits for the object that carries the reference."""
    return reference.get("blockOwnerDeletion") is True
