"""What every object of the API begins with."""

from typing import ClassVar

from pydantic import Field

from memkube.apimachinery.meta.v1.object_meta import ObjectMeta
from memkube.apimachinery.model import ApiModel


class TypeMeta(ApiModel):
    """The kind of an object and the version that it is written in."""

    kind: str = Field(default="", description="Kind of the object, in CamelCase.")
    apiVersion: str = Field(default="", description="Group and version that the object is written in.")


class ApiObject(TypeMeta):
    """An object that the server keeps: a type, metadata, and what its kind adds."""

    go_struct: ClassVar[bool] = False

    metadata: ObjectMeta = Field(default_factory=ObjectMeta, description="Name, labels and other standard metadata.")
