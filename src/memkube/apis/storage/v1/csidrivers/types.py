"""CSIDrivers: what drivers of volumes can do."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Named, Required, SetList
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int64


class TokenRequest(ApiModel):
    """A token of the pod's service account that a driver wants."""

    audience: Annotated[str, Required()] = Field(
        default="", description="Whom the token is for; empty for the API server."
    )
    expirationSeconds: Int64 | None = Field(default=None, description="How long the token is valid, in seconds.")


class CSIDriverSpec(ApiModel):
    """What a driver can do, and what it wants to be told."""

    attachRequired: bool | None = Field(default=None, description="Whether volumes have to be attached to nodes first.")
    podInfoOnMount: bool | None = Field(
        default=None, description="Whether the driver is told about the pod when it mounts."
    )
    volumeLifecycleModes: Annotated[list[Annotated[str, Named("v1.VolumeLifecycleMode")]], SetList()] = Field(
        default_factory=list,
        description="Persistent for volumes of claims, Ephemeral for volumes of pods; both may be given.",
    )
    storageCapacity: bool | None = Field(
        default=None, description="Whether scheduling looks at the storage that the driver says is left."
    )
    fsGroupPolicy: Annotated[str | None, Named("v1.FSGroupPolicy")] = Field(
        default=None, description="Who changes owner and permissions of files: ReadWriteOnceWithFSType, File or None."
    )
    tokenRequests: list[TokenRequest] = Field(
        default_factory=list, description="Tokens that the driver is given when it mounts."
    )
    requiresRepublish: bool | None = Field(
        default=None, description="Whether the driver is asked again and again, to renew what it was given."
    )
    seLinuxMount: bool | None = Field(
        default=None, description="Whether volumes can be mounted with a context of SELinux."
    )
    nodeAllocatableUpdatePeriodSeconds: Int64 | None = Field(
        default=None, description="Every how many seconds nodes ask how many volumes they may have; never by default."
    )
    serviceAccountTokenInSecrets: bool | None = Field(
        default=None, description="Whether tokens are given as secrets instead of as settings of the volume."
    )
    preventPodSchedulingIfMissing: bool | None = Field(
        default=None, description="Whether pods keep off nodes that do not have the driver."
    )


class CSIDriver(ApiObject):
    """A driver of volumes."""

    spec: Annotated[CSIDriverSpec, Required()] = Field(
        default_factory=CSIDriverSpec, description="What the driver can do, and what it wants to be told."
    )
