"""."""

from typing import Annotated, ClassVar

from pydantic import Field

from memkube.apimachinery.markers import Always, Named, Required
from memkube.apimachinery.model import ApiModel


class LocalObjectReference(ApiModel):
    """."""

    struct_type: ClassVar[str] = "atomic"

    name: str = Field(default="", description="")


class ObjectReference(ApiModel):
    """."""

    struct_type: ClassVar[str] = "atomic"

    kind: str = Field(default="", description="")
    namespace: str = Field(default="", description="")
    name: str = Field(default="", description="")
    uid: Annotated[str, Named("types.UID")] = Field(default="", description="")
    apiVersion: str = Field(default="", description="")
    resourceVersion: str = Field(default="", description="")
    fieldPath: str = Field(default="", description="")


class SecretReference(ApiModel):
    """."""

    struct_type: ClassVar[str] = "atomic"

    name: str = Field(default="", description="")
    namespace: str = Field(default="", description="")


class TypedLocalObjectReference(ApiModel):
    """."""

    struct_type: ClassVar[str] = "atomic"

    apiGroup: Annotated[str | None, Always()] = Field(default=None, description="")
    kind: Annotated[str, Required()] = Field(default="", description="")
    name: Annotated[str, Required()] = Field(default="", description="")


class TypedObjectReference(ApiModel):
    """."""

    apiGroup: Annotated[str | None, Always()] = Field(default=None, description="")
    kind: Annotated[str, Required()] = Field(default="", description="")
    name: Annotated[str, Required()] = Field(default="", description="")
    namespace: str | None = Field(default=None, description="")
