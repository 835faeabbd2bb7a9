from typing import Annotated, ClassVar

from pydantic import Field

from memkube.apimachinery.markers import Always, Default, Required
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.model import ApiModel


class Subject(ApiModel):
    """A user, a group or a service account that gets the role of a binding."""

    struct_type: ClassVar[str] = "atomic"

    kind: Annotated[str, Required()] = Field(
        default="", description="Kind of the subject: User, Group or ServiceAccount."
    )
    apiGroup: str = Field(
        default="",
        description="API group of the subject: rbac.authorization.k8s.io for users and groups, otherwise empty.",
    )
    name: Annotated[str, Required()] = Field(
        default="", description="Name of the user, group or service account that gets the role."
    )
    namespace: str = Field(default="", description="Namespace of the service account; empty for users and groups.")


class RoleRef(ApiModel):
    """Reference to the role that a binding grants; immutable."""

    struct_type: ClassVar[str] = "atomic"

    apiGroup: Annotated[str, Always(), Default("")] = Field(
        default="", description="API group of the role: rbac.authorization.k8s.io."
    )
    kind: Annotated[str, Required()] = Field(
        default="", description="Kind of the role: ClusterRole, or Role of the same namespace."
    )
    name: Annotated[str, Required()] = Field(
        default="", description="Name of the Role or ClusterRole that the binding grants."
    )


class ClusterRoleBinding(ApiObject):
    """Gives users, groups and service accounts the rights of a ClusterRole in the whole cluster."""

    subjects: list[Subject] = Field(
        default_factory=list, description="Users, groups and service accounts that get the role."
    )
    roleRef: Annotated[RoleRef, Required()] = Field(
        default_factory=RoleRef, description="ClusterRole that the subjects get; immutable."
    )


class RoleBinding(ApiObject):
    """Gives users, groups and service accounts the rights of a role in the namespace of the RoleBinding."""

    subjects: list[Subject] = Field(
        default_factory=list, description="Users, groups and service accounts that get the role."
    )
    roleRef: Annotated[RoleRef, Required()] = Field(
        default_factory=RoleRef,
        description="Reference to a Role of the namespace or to a ClusterRole; immutable.",
    )
