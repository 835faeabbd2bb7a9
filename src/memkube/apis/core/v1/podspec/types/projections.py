"""."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Always, Required
from memkube.apimachinery.meta.v1.label_selector import LabelSelector
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int32, Int64
from memkube.apis.core.v1.podspec.types.volume_files import DownwardAPIVolumeFile, KeyToPath
from memkube.apis.core.v1.references import LocalObjectReference


class ClusterTrustBundleProjection(ApiModel):
    """."""

    name: str | None = Field(default=None, description="")
    signerName: str | None = Field(default=None, description="")
    labelSelector: LabelSelector | None = Field(default=None, description="")
    optional: bool | None = Field(default=None, description="")
    path: Annotated[str, Required()] = Field(default="", description="")


class ConfigMapProjection(LocalObjectReference):
    """."""

    items: list[KeyToPath] = Field(default_factory=list, description="")
    optional: bool | None = Field(default=None, description="")


class DownwardAPIProjection(ApiModel):
    """."""

    items: list[DownwardAPIVolumeFile] = Field(default_factory=list, description="")


class PodCertificateProjection(ApiModel):
    """."""

    signerName: Annotated[str, Required()] = Field(default="", description="")
    keyType: Annotated[str, Required()] = Field(default="", description="")
    maxExpirationSeconds: Int32 | None = Field(default=None, description="")
    credentialBundlePath: str = Field(default="", description="")
    keyPath: str = Field(default="", description="")
    certificateChainPath: str = Field(default="", description="")
    userAnnotations: dict[str, str] = Field(default_factory=dict, description="")


class SecretProjection(LocalObjectReference):
    """."""

    items: list[KeyToPath] = Field(default_factory=list, description="")
    optional: bool | None = Field(default=None, description="")


class ServiceAccountTokenProjection(ApiModel):
    """."""

    audience: str = Field(default="", description="")
    expirationSeconds: Int64 | None = Field(default=None, description="")
    path: Annotated[str, Required()] = Field(default="", description="")


class VolumeProjection(ApiModel):
    """."""

    secret: SecretProjection | None = Field(default=None, description="")
    downwardAPI: DownwardAPIProjection | None = Field(default=None, description="")
    configMap: ConfigMapProjection | None = Field(default=None, description="")
    serviceAccountToken: ServiceAccountTokenProjection | None = Field(default=None, description="")
    clusterTrustBundle: ClusterTrustBundleProjection | None = Field(default=None, description="")
    podCertificate: PodCertificateProjection | None = Field(default=None, description="")


class ProjectedVolumeSource(ApiModel):
    """."""

    sources: Annotated[list[VolumeProjection], Always()] = Field(default_factory=list, description="")
    defaultMode: Int32 | None = Field(default=None, description="")
