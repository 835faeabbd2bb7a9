"""RoleBindings and ClusterRoleBindings: who has a role."""

from typing import Annotated, ClassVar

from pydantic import Field

from memkube.apimachinery.markers import Always, Default, Required
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.model import ApiModel


class Subject(ApiModel):
    """TODO."""

    struct_type: ClassVar[str] = "atomic"

    kind: Annotated[str, Required()] = Field(default="", description="TODO")
    apiGroup: str = Field(default="", description="TODO")
    name: Annotated[str, Required()] = Field(default="", description="TODO")
    namespace: str = Field(default="", description="TODO")


class RoleRef(ApiModel):
    """TODO."""

    struct_type: ClassVar[str] = "atomic"

    apiGroup: Annotated[str, Always(), Default("")] = Field(default="", description="TODO")
    kind: Annotated[str, Required()] = Field(default="", description="TODO")
    name: Annotated[str, Required()] = Field(default="", description="TODO")


class ClusterRoleBinding(ApiObject):
    """TODO."""

    subjects: list[Subject] = Field(default_factory=list, description="TODO")
    roleRef: Annotated[RoleRef, Required()] = Field(default_factory=RoleRef, description="TODO")


class RoleBinding(ApiObject):
    """TODO."""

    subjects: list[Subject] = Field(default_factory=list, description="TODO")
    roleRef: Annotated[RoleRef, Required()] = Field(default_factory=RoleRef, description="TODO")
