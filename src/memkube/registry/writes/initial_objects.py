"""Initial objects of the server, such as system namespaces, stored without strategy and admission.

Creating these objects like those of clients would import the models and rules of eleven kinds, which would double the
start time. The declaration of an initial object therefore contains all defaults and managed fields that a create would
set; tests of ``server.bootstrap`` check this. This module adds only uid, resourceVersion, creationTimestamp and
managedFields entries.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple, TypeAlias

from memkube.apimachinery.json_text import to_json
from memkube.apimachinery.model import Document
from memkube.apimachinery.time import Time
from memkube.registry.declarations.resource import Resource
from memkube.registry.objects.stored import StoredObject
from memkube.registry.writes.creation import STAMPED_LATER

ResourceName: TypeAlias = tuple[str, str, str]
"""Name of a resource: its group, version and plural."""
API_SERVER: Final = "kube-apiserver"
"""Field manager of the objects that the server stores on its own."""
_METADATA: Final = (
    "name",
    "namespace",
    "uid",
    "resourceVersion",
    "generation",
    "creationTimestamp",
    "labels",
    "annotations",
    "ownerReferences",
    "managedFields",
)
"""Metadata fields in the order in which kube-apiserver encodes them."""


class Owned(NamedTuple):
    """A managedFields entry of an initial object of the server; `fields` is its FieldsV1."""

    fields: Document
    manager: str = API_SERVER
    operation: str = "Update"
    subresource: str = ""


class InitialObject(NamedTuple):
    """An initial object of the server.

    `document` is its JSON data without kind and apiVersion, and `owners` are the entries of its managedFields.
    """

    resource: ResourceName
    document: Document
    owners: Sequence[Owned] = ()
    uid: str = ""
    """The uid of the object. If it is empty, the server generates a uid."""

    @property
    def name(self) -> str:
        """The object's ``metadata.name``."""
        name: str = self.document["metadata"]["name"]
        return name

    @property
    def namespace(self) -> str:
        """The object's ``metadata.namespace``; empty for a cluster-scoped object."""
        namespace: str = self.document["metadata"].get("namespace", "")
        return namespace

    def stored(self, resource: Resource, uid: str, now: Time) -> StoredObject:
        """Return the object with its uid and the creationTimestamp `now`, encoded for storage."""
        given: Document = self.document["metadata"]
        complete = {**given, "uid": uid, "resourceVersion": STAMPED_LATER, "creationTimestamp": now}
        if self.owners:
            complete["managedFields"] = [_entry(owned, resource.api_version, now) for owned in self.owners]
        metadata = {name: complete[name] for name in _METADATA if name in complete}
        rest = {name: value for name, value in self.document.items() if name != "metadata"}
        tail = to_json({"metadata": metadata, **rest})[1:]
        return StoredObject.from_tail(resource.kind, resource.api_version, tail)


def _entry(owned: Owned, api_version: str, now: Time) -> Document:
    entry = {
        "manager": owned.manager,
        "operation": owned.operation,
        "apiVersion": api_version,
        "time": now,
        "fieldsType": "FieldsV1",
        "fieldsV1": owned.fields,
    }
    return {**entry, "subresource": owned.subresource} if owned.subresource else entry
