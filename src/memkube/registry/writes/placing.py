"""Objects of the server itself, such as the system namespaces, written without strategy and admission.

Creating them through the verbs would import the models and rules of eleven kinds, which is half of a server's start.
The declaration of such an object is therefore complete: it has every default and every owner that the verbs would
give it, which the tests of ``server.bootstrap`` check. Only the system's own metadata are added here.
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
"""A group, a version and a plural."""
API_SERVER: Final = "kube-apiserver"
"""The field manager of what the server itself writes."""
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
"""The fields of metadata in the order in which the reference writes them."""


class Owned(NamedTuple):
    """The fields of a placed object that one manager owns (FieldsV1)."""

    fields: Document
    manager: str = API_SERVER
    operation: str = "Update"
    subresource: str = ""


class Placement(NamedTuple):
    """An object to be placed: its resource, its JSON data without kind and apiVersion, and the owners of its fields."""

    resource: ResourceName
    document: Document
    owners: Sequence[Owned] = ()
    uid: str = ""
    """The uid of the object; generated if it is empty."""

    @property
    def name(self) -> str:
        """Value of ``metadata.name``."""
        name: str = self.document["metadata"]["name"]
        return name

    @property
    def namespace(self) -> str:
        """Value of ``metadata.namespace``; empty for a cluster-scoped object."""
        namespace: str = self.document["metadata"].get("namespace", "")
        return namespace

    def stored(self, resource: Resource, uid: str, now: Time) -> StoredObject:
        """Return the object as it is stored when it is created at `now` with `uid`. It is encoded here, once."""
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
