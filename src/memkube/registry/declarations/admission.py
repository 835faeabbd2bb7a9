"""The interface between the registry and admission plugins, which change or reject writes."""

from dataclasses import dataclass, field
from typing import Any, Final, Literal, Protocol, TypeAlias

from memkube.apimachinery.errors import ApiError, forbidden
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.model import ApiModel, Document
from memkube.registry.declarations.kinds import KindName
from memkube.registry.declarations.request_options import WriteContext
from memkube.registry.declarations.resource import Resource

Operation: TypeAlias = Literal["CREATE", "UPDATE", "DELETE", "CONNECT"]
_OPTIONS_VERSION: Final = "meta.k8s.io/v1"
_OPTIONS: Final[dict[Operation, str]] = {
    "CREATE": "CreateOptions",
    "UPDATE": "UpdateOptions",
    "DELETE": "DeleteOptions",
}


class Emptiness(Protocol):
    """Tells whether a resource certainly has no objects, without reading the storage: see :meth:`Store.emptiness`."""

    known: bool
    """True if the resource is known to have no objects."""


@dataclass(slots=True)
class Reinvocation:
    """Records for one write whether all mutating plugins must be called a second time, and data for the second call.

    They are called again if a plugin has changed the object after another plugin has seen it. In its first call, a
    plugin can save data for the second one.
    """

    requested: bool = False
    """True if a plugin has changed the object after another plugin has seen it, so that all are called again."""
    again: bool = False
    """True while the plugins are called for the second time."""
    state: dict[str, Any] = field(default_factory=dict)
    """Data that a plugin saves in its first call for its second call, by plugin name."""


@dataclass(slots=True)
class Attributes:
    """A write or connection request as admission plugins see it (apiserver ``admission.Attributes``)."""

    resource: Resource
    subresource: str
    operation: Operation
    namespace: str
    name: str
    """Name of the object. Empty for the deletion of a collection, and for a new object whose name will be generated."""
    new: ApiModel | None
    """The object to write, or the options of a connection. None for a deletion."""
    old: ApiObject | None
    context: WriteContext
    shown: KindName | None = None
    """Kind of `new` and `old` if it is not the resource's kind: ``Scale``, ``Eviction`` or ``PodExecOptions``."""
    reinvocation: Reinvocation = field(default_factory=Reinvocation)

    @property
    def kind(self) -> KindName:
        """Kind of the objects `new` and `old`. For a subresource such as ``scale``, it is the subresource's kind."""
        return self.shown or self.resource.kind_name

    @property
    def options(self) -> Document | None:
        """Options of the create, update or delete, such as CreateOptions; None for a connection."""
        kind = _OPTIONS.get(self.operation)
        if kind is None:
            return None
        deletion = self.context.deletion if self.operation == "DELETE" else None
        said = deletion.to_document() if deletion else self.context.options
        return {**said, "kind": kind, "apiVersion": _OPTIONS_VERSION}

    def replace_new(self, document: Document) -> None:
        """Replace all fields of `new` by those of `document`, which must be valid JSON data of the same kind."""
        new = self.new
        assert new is not None
        fresh = type(new).from_document(document)
        new.__dict__.clear()
        new.__dict__.update(fresh.__dict__)
        for slot in ("__pydantic_extra__", "__pydantic_fields_set__"):
            object.__setattr__(new, slot, getattr(fresh, slot))


def refused(attributes: Attributes, why: str) -> ApiError:
    """Return the 403 error, with the reason `why`, for a write that admission rejects.

    The error names the object, or its generateName if the object has no name.
    """
    return forbidden(attributes.resource.group_resource, name_in_refusals(attributes), why)


def name_in_refusals(attributes: Attributes) -> str:
    """Return the object name for the 403 error of a rejected write (apiserver ``admission/errors.go``).

    If the object has no name, its generateName is used.
    """
    new = attributes.new
    if attributes.name or new is None:
        return attributes.name or "Unknown"
    if not isinstance(new, ApiObject):
        return "Unknown/errorGettingName"
    return new.metadata.name or new.metadata.generateName or "Unknown"


class Admission(Protocol):
    """Admission control of writes. The methods raise ApiError if a plugin rejects the write."""

    async def mutate(self, attributes: Attributes) -> None:
        """Run mutating admission, which may change ``attributes.new``.

        Called before the strategy prepares and validates the object.
        """

    async def validate(self, attributes: Attributes) -> None:
        """Run validating admission on the object in its final form."""


class AdmitAll:
    """Admission that accepts every write unchanged."""

    async def mutate(self, attributes: Attributes) -> None:
        pass

    async def validate(self, attributes: Attributes) -> None:
        pass
