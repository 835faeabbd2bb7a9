"""Files that volumes show, and sources of which several make up one volume."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Always, Required
from memkube.apimachinery.meta.v1.selectors import LabelSelector
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int32, Int64
from memkube.apis.core.v1.podspec.types.env import ObjectFieldSelector, ResourceFieldSelector
from memkube.apis.core.v1.references import LocalObjectReference


class KeyToPath(ApiModel):
    """A key that is shown as a file."""

    key: Annotated[str, Required()] = Field(default="", description="Key to show.")
    path: Annotated[str, Required()] = Field(default="", description="Path of the file, relative and without dots.")
    mode: Int32 | None = Field(default=None, description="Permission bits of the file.")


class DownwardAPIVolumeFile(ApiModel):
    """A file with a field of the pod."""

    path: Annotated[str, Required()] = Field(default="", description="Path of the file, relative and without dots.")
    fieldRef: ObjectFieldSelector | None = Field(default=None, description="Field of the pod.")
    resourceFieldRef: ResourceFieldSelector | None = Field(default=None, description="Resource of a container.")
    mode: Int32 | None = Field(default=None, description="Permission bits of the file.")


class ClusterTrustBundleProjection(ApiModel):
    """Trust anchors as a file."""

    name: str | None = Field(default=None, description="Trust bundle; excludes signerName.")
    signerName: str | None = Field(default=None, description="Signer whose trust bundles are taken; excludes name.")
    labelSelector: LabelSelector | None = Field(default=None, description="Selects among the signer's trust bundles.")
    optional: bool | None = Field(default=None, description="Whether there may be no trust bundle.")
    path: Annotated[str, Required()] = Field(default="", description="Path of the file.")


class ConfigMapProjection(LocalObjectReference):
    """Entries of a config map as files."""

    items: list[KeyToPath] = Field(default_factory=list, description="Entries to show and their paths; all by default.")
    optional: bool | None = Field(default=None, description="Whether the config map or its keys may be missing.")


class DownwardAPIProjection(ApiModel):
    """Fields of the pod as files."""

    items: list[DownwardAPIVolumeFile] = Field(default_factory=list, description="Files.")


class PodCertificateProjection(ApiModel):
    """A private key and its certificate as files."""

    signerName: Annotated[str, Required(omits_zero=True)] = Field(default="", description="Signer of the certificate.")
    keyType: Annotated[str, Required(omits_zero=True)] = Field(default="", description="Type of the key.")
    maxExpirationSeconds: Int32 | None = Field(
        default=None, description="Longest lifetime of the certificate in seconds."
    )
    credentialBundlePath: str = Field(default="", description="Path of a file with key and certificates.")
    keyPath: str = Field(default="", description="Path of a file with the key.")
    certificateChainPath: str = Field(default="", description="Path of a file with the certificates.")
    userAnnotations: dict[str, str] = Field(default_factory=dict, description="Annotations for the signer.")


class SecretProjection(LocalObjectReference):
    """Entries of a secret as files."""

    items: list[KeyToPath] = Field(default_factory=list, description="Entries to show and their paths; all by default.")
    optional: bool | None = Field(default=None, description="Whether the secret or its keys may be missing.")


class ServiceAccountTokenProjection(ApiModel):
    """A token of the service account as a file."""

    audience: str = Field(default="", description="Who is to accept the token; the API server by default.")
    expirationSeconds: Int64 | None = Field(default=None, description="Seconds that the token is valid for.")
    path: Annotated[str, Required()] = Field(default="", description="Path of the file.")


class VolumeProjection(ApiModel):
    """A source of files; one of the fields is set."""

    secret: SecretProjection | None = Field(default=None, description="Entries of a secret.")
    downwardAPI: DownwardAPIProjection | None = Field(default=None, description="Fields of the pod.")
    configMap: ConfigMapProjection | None = Field(default=None, description="Entries of a config map.")
    serviceAccountToken: ServiceAccountTokenProjection | None = Field(
        default=None, description="Token of the service account."
    )
    clusterTrustBundle: ClusterTrustBundleProjection | None = Field(default=None, description="Trust anchors.")
    podCertificate: PodCertificateProjection | None = Field(default=None, description="Private key and certificate.")


class ProjectedVolumeSource(ApiModel):
    """Several sources in one directory."""

    sources: Annotated[list[VolumeProjection], Always()] = Field(default_factory=list, description="Sources of files.")
    defaultMode: Int32 | None = Field(
        default=None, description="Permission bits of the files, unless they have their own."
    )
