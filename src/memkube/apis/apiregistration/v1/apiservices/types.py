"""APIServices: who serves a group and version."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Always, MapList, Merge, Named, Required
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Bytes, Int32, Time


class ServiceReference(ApiModel):
    """TODO."""

    namespace: str = Field(default="", description="TODO")
    name: str = Field(default="", description="TODO")
    port: Int32 | None = Field(default=None, description="TODO")


class APIServiceSpec(ApiModel):
    """TODO."""

    service: ServiceReference | None = Field(default=None, description="TODO")
    group: str = Field(default="", description="TODO")
    version: str = Field(default="", description="TODO")
    insecureSkipTLSVerify: bool = Field(default_factory=False, description="TODO")
    caBundle: Bytes = Field(default="", description="TODO")
    groupPriorityMinimum: Annotated[Int32, Required()] = Field(default=0, description="TODO")
    versionPriority: Annotated[Int32, Required()] = Field(default=0, description="TODO")


class APIServiceCondition(ApiModel):
    """TODO."""

    type: Annotated[str, Named("v1.APIServiceConditionType"), Required()] = Field(default="", description="TODO")
    status: Annotated[str, Named("v1.ConditionStatus"), Required()] = Field(default="", description="TODO")
    lastTransitionTime: Annotated[Time | None, Always()] = Field(default=None, description="TODO")
    reason: str = Field(default="", description="TODO")
    message: str = Field(default="", description="TODO")


class APIServiceStatus(ApiModel):
    """TODO."""

    conditions: Annotated[list[APIServiceCondition], MapList(("type",)), Merge("type")] = Field(
        default_factory=list, description="TODO"
    )


class APIService(ApiObject):
    """TODO."""

    spec: APIServiceSpec = Field(default_factory=APIServiceSpec, description="TODO")
    status: APIServiceStatus = Field(default_factory=APIServiceStatus, description="TODO")
