"""Where plugins may change or refuse a write: the interface; plugins live above."""

from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

from memkube.apimachinery.errors import ApiError, forbidden
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.model import ApiModel
from memkube.registry.requests import WriteContext
from memkube.registry.resource import Resource

Operation: TypeAlias = Literal["CREATE", "UPDATE", "DELETE", "CONNECT"]


@dataclass(slots=True)
class Attributes:
    """A write, or a connection to what is behind an object, under consideration."""

    resource: Resource
    subresource: str
    operation: Operation
    namespace: str
    name: str
    new: ApiModel | None
    """The object to be written, or the options object of a create subresource; None for a deletion or a connection."""
    old: ApiObject | None
    context: WriteContext


def refused(attributes: Attributes, why: str) -> ApiError:
    """403 about a write. A new object without a name is named by what its name will be generated from."""
    new = attributes.new
    named = attributes.name or (isinstance(new, ApiObject) and new.metadata.generateName) or "Unknown"
    return forbidden(attributes.resource.group_resource, named, why)


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
