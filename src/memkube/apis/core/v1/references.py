"""Types of references to other objects."""

from typing import Annotated, ClassVar

from pydantic import Field

from memkube.apimachinery.markers import Always, Default, Named, Required
from memkube.apimachinery.model import ApiModel


class LocalObjectReference(ApiModel):
    """A reference by name to an object of the same namespace."""

    struct_type: ClassVar[str] = "atomic"

    name: Annotated[str, Default("")] = Field(default="", description="Name of the object.")


class ObjectReference(ApiModel):
    """A reference to any object, or to a part of an object."""

    struct_type: ClassVar[str] = "atomic"

    kind: str = Field(default="", description="Kind of the object.")
    namespace: str = Field(default="", description="Namespace of the object.")
    name: str = Field(default="", description="Name of the object.")
    uid: Annotated[str, Named("types.UID")] = Field(default="", description="UID of the object.")
    apiVersion: str = Field(default="", description="Group and version of the object.")
    resourceVersion: str = Field(
        default="", description="Resource version of the object, if a particular one is meant."
    )
    fieldPath: str = Field(default="", description="Part of the object, such as spec.containers{web}.")


class SecretReference(ApiModel):
    """A reference to a secret in any namespace."""

    struct_type: ClassVar[str] = "atomic"

    name: str = Field(default="", description="Name of the secret.")
    namespace: str = Field(default="", description="Namespace of the secret.")


class TypedLocalObjectReference(ApiModel):
    """A reference to an object of any kind in the same namespace."""

    struct_type: ClassVar[str] = "atomic"

    apiGroup: Annotated[str | None, Always()] = Field(
        default=None, description="API group of the object; unset for the core group."
    )
    kind: Annotated[str, Required()] = Field(default="", description="Kind of the object.")
    name: Annotated[str, Required()] = Field(default="", description="Name of the object.")


class TypedObjectReference(ApiModel):
    """A reference to an object of any kind, possibly in another namespace."""

    apiGroup: Annotated[str | None, Always()] = Field(
        default=None, description="API group of the object; unset for the core group."
    )
    kind: Annotated[str, Required()] = Field(default="", description="Kind of the object.")
    name: Annotated[str, Required()] = Field(default="", description="Name of the object.")
    namespace: str | None = Field(
        default=None, description="Namespace of the object; if unset, the one of the object with this reference."
    )
