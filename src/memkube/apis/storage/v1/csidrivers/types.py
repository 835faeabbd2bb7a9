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
        default=None, description="True if the driver gets the pod's name, namespace and UID when a volume is mounted."
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
        description="When a pod's fsGroup changes ownership of volumes: ReadWriteOnceWithFSType, File or None.",
    )
    tokenRequests: list[TokenRequest] = Field(
        default_factory=list,
        description="Service account tokens of the pod that the driver gets when a volume is mounted.",
    )
    requiresRepublish: bool | None = Field(
        default=None, description="True if the kubelet should repeat NodePublishVolume regularly for mounted volumes."
    )
    seLinuxMount: bool | None = Field(default=None, description="True if the driver supports the SELinux mount option.")
    nodeAllocatableUpdatePeriodSeconds: Int64 | None = Field(
        default=None,
        description="Seconds between updates of the driver's volume limit in the CSINode; no updates if unset.",
    )
    serviceAccountTokenInSecrets: bool | None = Field(
        default=None,
        description="True if the driver gets service account tokens as secrets instead of volume attributes.",
    )
    preventPodSchedulingIfMissing: bool | None = Field(
        default=None,
        description="True if pods with volumes of the driver are only scheduled to nodes where it is installed.",
    )


class CSIDriver(ApiObject):
    """Capabilities of a CSI driver, and what it requires from Kubernetes."""

    spec: Annotated[CSIDriverSpec, Required()] = Field(
        default_factory=CSIDriverSpec, description="Capabilities of the driver, and what it requires from Kubernetes."
    )
