"""CSIDrivers: what drivers of volumes can do."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Named, Required, SetList
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int64


class TokenRequest(ApiModel):
    """TODO."""

    audience: Annotated[str, Required()] = Field(default="", description="TODO")
    expirationSeconds: Int64 | None = Field(default=None, description="TODO")


class CSIDriverSpec(ApiModel):
    """TODO."""

    attachRequired: bool | None = Field(default=None, description="TODO")
    podInfoOnMount: bool | None = Field(default=None, description="TODO")
    volumeLifecycleModes: Annotated[list[Annotated[str, Named("v1.VolumeLifecycleMode")]], SetList()] = Field(
        default_factory=list, description="TODO"
    )
    storageCapacity: bool | None = Field(default=None, description="TODO")
    fsGroupPolicy: Annotated[str | None, Named("v1.FSGroupPolicy")] = Field(default=None, description="TODO")
    tokenRequests: list[TokenRequest] = Field(default_factory=list, description="TODO")
    requiresRepublish: bool | None = Field(default=None, description="TODO")
    seLinuxMount: bool | None = Field(default=None, description="TODO")
    nodeAllocatableUpdatePeriodSeconds: Int64 | None = Field(default=None, description="TODO")
    serviceAccountTokenInSecrets: bool | None = Field(default=None, description="TODO")
    preventPodSchedulingIfMissing: bool | None = Field(default=None, description="TODO")


class CSIDriver(ApiObject):
    """TODO."""

    spec: Annotated[CSIDriverSpec, Required()] = Field(default_factory=CSIDriverSpec, description="TODO")
