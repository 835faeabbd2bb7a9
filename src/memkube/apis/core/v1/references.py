"""References from one object to another."""

from typing import Annotated, ClassVar

from pydantic import Field

from memkube.apimachinery.markers import Always, Default, Named, Required
from memkube.apimachinery.model import ApiModel


class LocalObjectReference(ApiModel):
    """An object of the same namespace, by its name."""

    struct_type: ClassVar[str] = "atomic"

    name: Annotated[str, Default("")] = Field(default="", description="Name of the object.")


class ObjectReference(ApiModel):
    """An object of any kind, or a part of one."""

    struct_type: ClassVar[str] = "atomic"

    kind: str = Field(default="", description="Kind of the object.")
    namespace: str = Field(default="", description="Namespace of the object.")
    name: str = Field(default="", description="Name of the object.")
    uid: Annotated[str, Named("types.UID")] = Field(default="", description="UID of the object.")
    apiVersion: str = Field(default="", description="Group and version of the object.")
    resourceVersion: str = Field(default="", description="Version of the object, if one in particular is meant.")
    fieldPath: str = Field(default="", description="Part of the object that is meant, such as spec.containers{web}.")


class SecretReference(ApiModel):
    """A secret in some namespace."""

    struct_type: ClassVar[str] = "atomic"

    name: str = Field(default="", description="Name of the secret.")
    namespace: str = Field(default="", description="Namespace of the secret.")


class TypedLocalObjectReference(ApiModel):
    """An object of a given kind in the same namespace."""

    struct_type: ClassVar[str] = "atomic"

    apiGroup: Annotated[str | None, Always()] = Field(
        default=None, description="Group of the object; none is the core group."
    )
    kind: Annotated[str, Required()] = Field(default="", description="Kind of the object.")
    name: Annotated[str, Required()] = Field(default="", description="Name of the object.")


class TypedObjectReference(ApiModel):
    """An object of a given kind, possibly in another namespace."""

    apiGroup: Annotated[str | None, Always()] = Field(
        default=None, description="Group of the object; none is the core group."
    )
    kind: Annotated[str, Required()] = Field(default="", description="Kind of the object.")
    name: Annotated[str, Required()] = Field(default="", description="Name of the object.")
    namespace: str | None = Field(default=None, description="Namespace of the object; none is the same namespace.")
