from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Named, Required, SetList
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int64


class TokenRequest(ApiModel):
    """Audience and lifetime of a service account token that a driver needs of each pod."""

    audience: Annotated[str, Required()] = Field(
        default="", description="Audience of the token; empty for the API server."
    )
    expirationSeconds: Int64 | None = Field(
        default=None, description="Desired lifetime of the token in seconds; 3600 by default."
    )


class CSIDriverSpec(ApiModel):
    """Capabilities and requirements of a CSI driver."""

    attachRequired: bool | None = Field(
        default=None, description="True if volumes must be attached before they are mounted."
    )
    podInfoOnMount: bool | None = Field(
        default=None, description="True if the driver requires pod information on mount."
    )
    volumeLifecycleModes: Annotated[list[Annotated[str, Named("v1.VolumeLifecycleMode")]], SetList()] = Field(
        default_factory=list,
        description="Persistent for volumes of claims, Ephemeral for inline volumes of pods; may be both.",
    )
    storageCapacity: bool | None = Field(
        default=None, description="True if the scheduler should consider the driver's storage capacity."
    )
    fsGroupPolicy: Annotated[str | None, Named("v1.FSGroupPolicy")] = Field(
        default=None,
        description="Whether fsGroup changes ownership and permissions: ReadWriteOnceWithFSType, File or None.",
    )
    tokenRequests: list[TokenRequest] = Field(default_factory=list, description="Tokens passed to the driver on mount.")
    requiresRepublish: bool | None = Field(
        default=None, description="True to call NodePublishVolume again from time to time for mounted volumes."
    )
    seLinuxMount: bool | None = Field(default=None, description="True if the driver supports the SELinux mount option.")
    nodeAllocatableUpdatePeriodSeconds: Int64 | None = Field(
        default=None, description="Seconds between updates of the node's allocatable volumes; disabled by default."
    )
    serviceAccountTokenInSecrets: bool | None = Field(
        default=None, description="True to pass tokens as secrets instead of volume attributes."
    )
    preventPodSchedulingIfMissing: bool | None = Field(
        default=None, description="True to keep pods off nodes without the driver."
    )


class CSIDriver(ApiObject):
    """Capabilities of a CSI driver, and what it requires from Kubernetes."""

    spec: Annotated[CSIDriverSpec, Required()] = Field(
        default_factory=CSIDriverSpec, description="Capabilities and requirements of the driver."
    )
