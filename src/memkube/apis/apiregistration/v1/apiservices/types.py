from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Always, Atomic, MapList, Merge, Named, Required
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Bytes, Int32, Time


class ServiceReference(ApiModel):
    """Namespace, name and port of the service that forwards requests to an extension API server."""

    namespace: str = Field(
        default="", description="Namespace of the service that forwards requests to the extension API server."
    )
    name: str = Field(default="", description="Name of the service that forwards requests to the extension API server.")
    port: Int32 | None = Field(
        default=None, description="Port of the service at which the extension API server is called; 443 by default."
    )


class APIServiceSpec(ApiModel):
    """API group and version, the server that serves them, and their priority in discovery."""

    service: ServiceReference | None = Field(
        default=None, description="Service of the extension API server; unset if this server itself serves the version."
    )
    group: str = Field(default="", description="API group that the APIService registers; empty for the core group.")
    version: str = Field(default="", description="API version within the group, such as v1beta1.")
    insecureSkipTLSVerify: bool = Field(
        default=False, description="True to skip verification of the extension server's certificate; discouraged."
    )
    caBundle: Annotated[Bytes, Atomic()] = Field(
        default="",
        description="PEM certificates of the CAs trusted to sign the server's certificate; the system's CAs if empty.",
    )
    groupPriorityMinimum: Annotated[Int32, Required()] = Field(
        default=0,
        description="Priority of the group in discovery, 1 to 20000; the highest of the group's APIServices counts.",
    )
    versionPriority: Annotated[Int32, Required()] = Field(
        default=0, description="Priority of the version within its group, 1 to 1000; discovery lists the highest first."
    )


class APIServiceCondition(ApiModel):
    """A condition of an APIService, such as Available."""

    type: Annotated[str, Named("v1.APIServiceConditionType"), Required()] = Field(
        default="", description="Type of the condition, such as Available."
    )
    status: Annotated[str, Named("v1.ConditionStatus"), Required()] = Field(
        default="", description="Status of the condition: True, False or Unknown."
    )
    lastTransitionTime: Annotated[Time | None, Always()] = Field(
        default=None, description="Time of the last change of this condition's status."
    )
    reason: str = Field(default="", description="Reason for the status, as one CamelCase word.")
    message: str = Field(default="", description="Human-readable explanation of the condition's status.")


class APIServiceStatus(ApiModel):
    """Observed state of an APIService: its conditions, such as Available."""

    conditions: Annotated[list[APIServiceCondition], MapList(("type",)), Merge("type")] = Field(
        default_factory=list,
        description="Conditions of the APIService; Available tells whether its server can be reached.",
    )


class APIService(ApiObject):
    """Registers an API group and version, and the server that serves them. Its name is VERSION.GROUP."""

    spec: APIServiceSpec = Field(
        default_factory=APIServiceSpec,
        description="Group and version, the server that serves them, and their priorities in discovery.",
    )
    status: APIServiceStatus = Field(
        default_factory=APIServiceStatus, description="Conditions of the APIService, such as Available."
    )
