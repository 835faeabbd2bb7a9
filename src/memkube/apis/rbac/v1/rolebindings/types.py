"""RoleBindings and ClusterRoleBindings: who has a role."""

from typing import Annotated, ClassVar

from pydantic import Field

from memkube.apimachinery.markers import Always, Default, Required
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.model import ApiModel


class Subject(ApiModel):
    """A user, a group of users, or a service account."""

    struct_type: ClassVar[str] = "atomic"

    kind: Annotated[str, Required()] = Field(default="", description="User, Group or ServiceAccount.")
    apiGroup: str = Field(
        default="",
        description="Group of the kind: rbac.authorization.k8s.io for users and groups, none for service accounts.",
    )
    name: Annotated[str, Required()] = Field(default="", description="Name of the subject.")
    namespace: str = Field(default="", description="Namespace of a service account.")


class RoleRef(ApiModel):
    """A role, which a binding keeps for as long as it exists."""

    struct_type: ClassVar[str] = "atomic"

    apiGroup: Annotated[str, Always(), Default("")] = Field(
        default="", description="Group of the role: rbac.authorization.k8s.io."
    )
    kind: Annotated[str, Required()] = Field(default="", description="ClusterRole, or Role of the same namespace.")
    name: Annotated[str, Required()] = Field(default="", description="Name of the role.")


class ClusterRoleBinding(ApiObject):
    """Who has a ClusterRole in the whole cluster."""

    subjects: list[Subject] = Field(default_factory=list, description="Who has the role.")
    roleRef: Annotated[RoleRef, Required()] = Field(
        default_factory=RoleRef, description="The role, which is a ClusterRole. It cannot be changed."
    )


class RoleBinding(ApiObject):
    """Who has a role in a namespace."""

    subjects: list[Subject] = Field(default_factory=list, description="Who has the role.")
    roleRef: Annotated[RoleRef, Required()] = Field(
        default_factory=RoleRef,
        description="The role: one of the namespace, or a ClusterRole as far as it concerns it. It cannot be changed.",
    )
