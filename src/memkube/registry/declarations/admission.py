"""The interface of admission: what a plugin is asked, and how it changes or refuses a write."""

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
    """Tells whether a resource has any objects: see :meth:`Store.emptiness`."""

    known: bool
    """True if the resource has no objects."""


@dataclass(slots=True)
class Reinvocation:
    """State of the second call of the mutating plugins, after all of them have been called once."""

    requested: bool = False
    """True if a plugin has changed the object, so that earlier plugins must see it again."""
    again: bool = False
    """True during the second call."""
    state: dict[str, Any] = field(default_factory=dict)
    """Data that plugins save from the first call, by the names of the plugins."""


@dataclass(slots=True)
class Attributes:
    """A write, or a connection to something behind an object, as admission plugins see it."""

    resource: Resource
    subresource: str
    operation: Operation
    namespace: str
    name: str
    """Name of the object; empty for a deletion of a collection, and before a name is generated."""
    new: ApiModel | None
    """The object to be written, or the options of a connection; None for a deletion."""
    old: ApiObject | None
    context: WriteContext
    shown: KindName | None = None
    """Kind of the objects if it is not that of the resource: ``Scale``, ``Eviction``, ``PodExecOptions``."""
    reinvocation: Reinvocation = field(default_factory=Reinvocation)

    @property
    def kind(self) -> KindName:
        """The kind of the objects."""
        return self.shown or KindName(self.resource.group, self.resource.version, self.resource.kind)

    @property
    def options(self) -> Document | None:
        """The options of the request; None for a connection."""
        kind = _OPTIONS.get(self.operation)
        if kind is None:
            return None
        deletion = self.context.deletion if self.operation == "DELETE" else None
        said = deletion.to_document() if deletion else self.context.options
        return {**said, "kind": kind, "apiVersion": _OPTIONS_VERSION}

    def replace_new(self, document: Document) -> None:
        """Replace the contents of the object to be written by `document`, which must fit its kind."""
        new = self.new
        assert new is not None
        fresh = type(new).from_document(document)
        new.__dict__.clear()
        new.__dict__.update(fresh.__dict__)
        for slot in ("__pydantic_extra__", "__pydantic_fields_set__"):
            object.__setattr__(new, slot, getattr(fresh, slot))


def refused(attributes: Attributes, why: str) -> ApiError:
    """Return the 403 error of a write. An object without a name is named by its generateName."""
    return forbidden(attributes.resource.group_resource, name_in_refusals(attributes), why)


def name_in_refusals(attributes: Attributes) -> str:
    """Return the name of the object in a 403 error (apiserver ``admission/errors.go``: extractResourceName)."""
    new = attributes.new
    if attributes.name or new is None:
        return attributes.name or "Unknown"
    if not isinstance(new, ApiObject):
        return "Unknown/errorGettingName"
    return new.metadata.name or new.metadata.generateName or "Unknown"


class Admission(Protocol):
    """Decides whether a write is admitted. Both steps raise ApiError to refuse it."""

    async def mutate(self, attributes: Attributes) -> None:
        """Change ``attributes.new`` if needed. Called before the strategy prepares and validates the object."""

    async def validate(self, attributes: Attributes) -> None:
        """Accept or refuse the object in the form in which it will be stored."""


class AdmitAll:
    """Admission without plugins."""

    async def mutate(self, attributes: Attributes) -> None:
        pass

    async def validate(self, attributes: Attributes) -> None:
        pass
