"""Where plugins may change or refuse a write: the interface; plugins live above."""

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
    """Whether there are any objects of a resource, as `Store.emptiness` tells."""

    known: bool
    """There are none."""


@dataclass(slots=True)
class Reinvocation:
    """Whether the plugins that change a write are asked once more, after all have been asked."""

    requested: bool = False
    """A plugin has changed the object, so that those before it may want to look again."""
    again: bool = False
    """They are being asked once more."""
    kept: dict[str, Any] = field(default_factory=dict)
    """What plugins remember of the first time, by their names."""


@dataclass(slots=True)
class Attributes:
    """A write, or a connection to what is behind an object, under consideration."""

    resource: Resource
    subresource: str
    operation: Operation
    namespace: str
    name: str
    """Empty while it is not known: of an object whose name is to be generated, and of a collection's."""
    new: ApiModel | None
    """The object to be written, or the options of a connection; None for a deletion."""
    old: ApiObject | None
    context: WriteContext
    shown: KindName | None = None
    """The kind of the objects, where it is not that of the resource: ``Scale``, ``Eviction``, ``PodExecOptions``."""
    reinvocation: Reinvocation = field(default_factory=Reinvocation)

    @property
    def kind(self) -> KindName:
        """The kind of the objects."""
        return self.shown or KindName(self.resource.group, self.resource.version, self.resource.kind)

    @property
    def options(self) -> Document | None:
        """The options of the request; a connection has none."""
        kind = _OPTIONS.get(self.operation)
        if kind is None:
            return None
        deletion = self.context.deletion if self.operation == "DELETE" else None
        said = deletion.to_document() if deletion else self.context.options
        return {**said, "kind": kind, "apiVersion": _OPTIONS_VERSION}

    def replace_new(self, document: Document) -> None:
        """Makes the object to be written what `document` says, which fits its kind."""
        new = self.new
        assert new is not None
        fresh = type(new).from_document(document)
        new.__dict__.clear()
        new.__dict__.update(fresh.__dict__)
        for slot in ("__pydantic_extra__", "__pydantic_fields_set__"):
            object.__setattr__(new, slot, getattr(fresh, slot))


def refused(attributes: Attributes, why: str) -> ApiError:
    """403 about a write. A new object without a name is named by what its name will be generated from."""
    return forbidden(attributes.resource.group_resource, name_in_refusals(attributes), why)


def name_in_refusals(attributes: Attributes) -> str:
    """What is refused (apiserver ``admission/errors.go``: extractResourceName)."""
    new = attributes.new
    if attributes.name or new is None:
        return attributes.name or "Unknown"
    if not isinstance(new, ApiObject):
        return "Unknown/errorGettingName"
    return new.metadata.name or new.metadata.generateName or "Unknown"


class Admission(Protocol):
    """Decides over writes. Both steps refuse by raising ApiError."""

    async def mutate(self, attributes: Attributes) -> None:
        """May change ``attributes.new``. Runs before the strategy prepares and validates it."""

    async def validate(self, attributes: Attributes) -> None:
        """Has the last word on the object as it will be stored."""


class AdmitAll:
    """Admission without plugins."""

    async def mutate(self, attributes: Attributes) -> None:
        """See Admission."""

    async def validate(self, attributes: Attributes) -> None:
        """See Admission."""
