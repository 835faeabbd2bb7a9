"""API types of projected volume sources and of the files in them."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Always, Required
from memkube.apimachinery.meta.v1.selectors import LabelSelector
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int32, Int64
from memkube.apis.core.v1.podspec.types.env import ObjectFieldSelector, ResourceFieldSelector
from memkube.apis.core.v1.references import LocalObjectReference


class KeyToPath(ApiModel):
    """A key of a ConfigMap or Secret, and the path and mode of its file."""

    key: Annotated[str, Required()] = Field(
        default="", description="Key of the config map or secret whose value the file contains."
    )
    path: Annotated[str, Required()] = Field(
        default="", description='Path of the file, relative to the volume; must not contain "..".'
    )
    mode: Int32 | None = Field(
        default=None, description="Permission bits of the file, 0 to 0777; the volume's defaultMode if unset."
    )


class DownwardAPIVolumeFile(ApiModel):
    """A file whose content is a field of the pod, or a resource request or limit of a container."""

    path: Annotated[str, Required()] = Field(
        default="", description='Path of the file, relative to the volume; must not contain "..".'
    )
    fieldRef: ObjectFieldSelector | None = Field(
        default=None, description="Field of the pod that the file contains, such as metadata.labels."
    )
    resourceFieldRef: ResourceFieldSelector | None = Field(
        default=None, description="Container resource whose request or limit the file contains, such as limits.memory."
    )
    mode: Int32 | None = Field(
        default=None, description="Permission bits of the file, 0 to 0777; the volume's defaultMode if unset."
    )


class ClusterTrustBundleProjection(ApiModel):
    """A file with the CA certificates of one or more ClusterTrustBundles, in a projected volume."""

    name: str | None = Field(default=None, description="Name of the trust bundle; mutually exclusive with signerName.")
    signerName: str | None = Field(
        default=None, description="Signer whose trust bundles are selected; mutually exclusive with name."
    )
    labelSelector: LabelSelector | None = Field(
        default=None,
        description="Selector of the signer's trust bundles by labels; empty selects all, unset selects none.",
    )
    optional: bool | None = Field(
        default=None, description="True if the named or selected trust bundles may be missing."
    )
    path: Annotated[str, Required()] = Field(
        default="", description="Path in the volume of the file with the CA certificates."
    )


class ConfigMapProjection(LocalObjectReference):
    """Files with values of a ConfigMap, in a projected volume."""

    items: list[KeyToPath] = Field(
        default_factory=list,
        description="Keys of the ConfigMap to write, with their files' paths; if empty, each key becomes a file.",
    )
    optional: bool | None = Field(default=None, description="True if the config map or its keys may be missing.")


class DownwardAPIProjection(ApiModel):
    """Files with fields of the pod, in a projected volume."""

    items: list[DownwardAPIVolumeFile] = Field(
        default_factory=list,
        description="Files to create, each with the value of one field of the pod, or of a container's resources.",
    )


class PodCertificateProjection(ApiModel):
    """Files with a private key and its certificate chain, separate or in one file, in a projected volume."""

    signerName: Annotated[str, Required(omits_zero=True)] = Field(
        default="", description="Name of the signer that issues the certificate."
    )
    keyType: Annotated[str, Required(omits_zero=True)] = Field(
        default="", description="Type of the private key that the kubelet generates, such as ED25519."
    )
    maxExpirationSeconds: Int32 | None = Field(
        default=None, description="Maximum lifetime of the certificate in seconds."
    )
    credentialBundlePath: str = Field(
        default="", description="Path in the volume of a file with both the private key and the certificate chain."
    )
    keyPath: str = Field(default="", description="Path in the volume of the file with the private key.")
    certificateChainPath: str = Field(
        default="", description="Path in the volume of the file with the certificate chain."
    )
    userAnnotations: dict[str, str] = Field(
        default_factory=dict, description="Annotations that are passed to the signer."
    )


class SecretProjection(LocalObjectReference):
    """Files with values of a Secret, in a projected volume."""

    items: list[KeyToPath] = Field(
        default_factory=list,
        description="Keys of the Secret to write, with their files' paths; if empty, each key becomes a file.",
    )
    optional: bool | None = Field(default=None, description="True if the secret or its keys may be missing.")


class ServiceAccountTokenProjection(ApiModel):
    """A file with a token of the pod's service account, in a projected volume."""

    audience: str = Field(default="", description="Audience of the token; the API server by default.")
    expirationSeconds: Int64 | None = Field(
        default=None, description="Desired lifetime of the token in seconds; 3600 by default."
    )
    path: Annotated[str, Required()] = Field(default="", description="Path in the volume of the file with the token.")


class VolumeProjection(ApiModel):
    """A source of files in a projected volume; exactly one field is set."""

    secret: SecretProjection | None = Field(default=None, description="Files with the values of a Secret.")
    downwardAPI: DownwardAPIProjection | None = Field(
        default=None, description="Files with values of the pod's fields, such as its labels."
    )
    configMap: ConfigMapProjection | None = Field(default=None, description="Files with the values of a ConfigMap.")
    serviceAccountToken: ServiceAccountTokenProjection | None = Field(
        default=None, description="File with a token of the pod's service account."
    )
    clusterTrustBundle: ClusterTrustBundleProjection | None = Field(
        default=None, description="File with the CA certificates of one or more ClusterTrustBundles."
    )
    podCertificate: PodCertificateProjection | None = Field(
        default=None, description="Files with a private key and its certificate chain."
    )


class ProjectedVolumeSource(ApiModel):
    """A volume with files of several sources in one directory."""

    sources: Annotated[list[VolumeProjection], Always()] = Field(
        default_factory=list, description="Sources whose files the volume contains, such as secrets and tokens."
    )
    defaultMode: Int32 | None = Field(
        default=None, description="Permission bits of files that have no mode of their own; 0644 by default."
    )
