"""APIServices: who serves a group and version."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Always, Atomic, MapList, Merge, Named, Required
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Bytes, Int32, Time


class ServiceReference(ApiModel):
    """A port of a service in the cluster."""

    namespace: str = Field(default="", description="Namespace of the service.")
    name: str = Field(default="", description="Name of the service.")
    port: Int32 | None = Field(default=None, description="Port of the service; 443 if it is not told.")


class APIServiceSpec(ApiModel):
    """Which group and version is served, by whom, and where discovery names it."""

    service: ServiceReference | None = Field(
        default=None, description="Service whose server is asked; none if this server itself serves the version."
    )
    group: str = Field(default="", description="Group that is served; none is the core group.")
    version: str = Field(default="", description="Version that is served.")
    insecureSkipTLSVerify: bool = Field(
        default=False, description="Whether the certificate of the other server is taken as it is. To be avoided."
    )
    caBundle: Annotated[Bytes, Atomic()] = Field(
        default="", description="Authorities that may have signed it, in PEM; without any, those of the system."
    )
    groupPriorityMinimum: Annotated[Int32, Required()] = Field(
        default=0,
        description="How early discovery names the group, from 1 to 20000: the highest of its versions counts.",
    )
    versionPriority: Annotated[Int32, Required()] = Field(
        default=0, description="How early discovery names the version within its group, from 1 to 1000."
    )


class APIServiceCondition(ApiModel):
    """Something that is so, or is not, about the group and version."""

    type: Annotated[str, Named("v1.APIServiceConditionType"), Required()] = Field(
        default="", description="What the condition is about, such as Available."
    )
    status: Annotated[str, Named("v1.ConditionStatus"), Required()] = Field(
        default="", description="Whether it is so: True, False or Unknown."
    )
    lastTransitionTime: Annotated[Time | None, Always()] = Field(
        default=None, description="When the status changed last."
    )
    reason: str = Field(default="", description="Why, in one word for programs.")
    message: str = Field(default="", description="Why, for people.")


class APIServiceStatus(ApiModel):
    """What is known of whoever serves the group and version."""

    conditions: Annotated[list[APIServiceCondition], MapList(("type",)), Merge("type")] = Field(
        default_factory=list, description="Whether the group and version can be had."
    )


class APIService(ApiObject):
    """A group and version of the API, and who serves it. Its name is VERSION.GROUP."""

    spec: APIServiceSpec = Field(default_factory=APIServiceSpec, description="What is served, and by whom.")
    status: APIServiceStatus = Field(default_factory=APIServiceStatus, description="Whether it can be had.")
