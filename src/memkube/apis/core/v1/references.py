"""Types of references to other objects."""

from typing import Annotated, ClassVar

from pydantic import Field

from memkube.apimachinery.markers import Always, Default, Named, Required
from memkube.apimachinery.model import ApiModel


class LocalObjectReference(ApiModel):
    """The name of an object that is in the namespace of the object with this reference."""

    struct_type: ClassVar[str] = "atomic"

    name: Annotated[str, Default("")] = Field(
        default="",
        description="Name of the referenced object, which is in the namespace of the object with this reference.",
    )


class ObjectReference(ApiModel):
    """A reference to any object, or to a part of an object."""

    struct_type: ClassVar[str] = "atomic"

    kind: str = Field(default="", description="Kind of the referenced object, such as Pod.")
    namespace: str = Field(
        default="", description="Namespace of the referenced object; empty for cluster-scoped objects."
    )
    name: str = Field(default="", description="Name of the referenced object in its namespace.")
    uid: Annotated[str, Named("types.UID")] = Field(
        default="",
        description="UID of the referenced object, which differs from those of earlier objects of the same name.",
    )
    apiVersion: str = Field(default="", description="Group and version of the referenced object, such as apps/v1.")
    resourceVersion: str = Field(
        default="",
        description="Resource version of the referenced object; empty if the reference is to any version of it.",
    )
    fieldPath: str = Field(
        default="",
        description="Part of the object that is referenced, such as spec.containers{web}; empty for the whole object.",
    )


class SecretReference(ApiModel):
    """A reference to a secret in any namespace."""

    struct_type: ClassVar[str] = "atomic"

    name: str = Field(default="", description="Name of the referenced secret in its namespace.")
    namespace: str = Field(default="", description="Namespace that contains the referenced secret.")


class TypedLocalObjectReference(ApiModel):
    """A reference to an object of any kind, in the namespace of the object with this reference."""

    struct_type: ClassVar[str] = "atomic"

    apiGroup: Annotated[str | None, Always()] = Field(
        default=None, description="API group of the referenced object; unset for the core group."
    )
    kind: Annotated[str, Required()] = Field(
        default="", description="Kind of the referenced object, such as VolumeSnapshot."
    )
    name: Annotated[str, Required()] = Field(
        default="",
        description="Name of the referenced object, which is in the namespace of the object with this reference.",
    )


class TypedObjectReference(ApiModel):
    """A reference to an object of any kind, possibly in another namespace."""

    apiGroup: Annotated[str | None, Always()] = Field(
        default=None, description="API group of the referenced object; unset for the core group."
    )
    kind: Annotated[str, Required()] = Field(
        default="", description="Kind of the referenced object, such as VolumeSnapshot."
    )
    name: Annotated[str, Required()] = Field(default="", description="Name of the referenced object in its namespace.")
    namespace: str | None = Field(
        default=None,
        description="Namespace of the referenced object; if unset, that of the object with this reference.",
    )
