"""API types of security options of pods and containers."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Named, Required
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int64


class AppArmorProfile(ApiModel):
    """Type and name of an AppArmor profile."""

    type: Annotated[str, Named("v1.AppArmorProfileType", ("Localhost", "RuntimeDefault", "Unconfined")), Required()] = (
        Field(default="", description="Localhost, RuntimeDefault or Unconfined.")
    )
    localhostProfile: str | None = Field(
        default=None, description="Name of a profile that is loaded on the node, for type Localhost."
    )


class Capabilities(ApiModel):
    """Linux capabilities to add to or drop from a container's default set."""

    add: list[Annotated[str, Named("v1.Capability")]] = Field(default_factory=list, description="Capabilities to add.")
    drop: list[Annotated[str, Named("v1.Capability")]] = Field(
        default_factory=list, description="Capabilities to drop."
    )


class SELinuxOptions(ApiModel):
    """SELinux context (user, role, type, level) of a container."""

    user: str = Field(default="", description="SELinux user.")
    role: str = Field(default="", description="SELinux role.")
    type: str = Field(default="", description="SELinux type.")
    level: str = Field(default="", description="SELinux level.")


class SeccompProfile(ApiModel):
    """Type and path of a seccomp profile."""

    type: Annotated[str, Named("v1.SeccompProfileType", ("Localhost", "RuntimeDefault", "Unconfined")), Required()] = (
        Field(default="", description="Localhost, RuntimeDefault or Unconfined.")
    )
    localhostProfile: str | None = Field(
        default=None, description="Path of a profile file on the node, for type Localhost."
    )


class WindowsSecurityContextOptions(ApiModel):
    """GMSA credential spec, user name and hostProcess of a Windows container."""

    gmsaCredentialSpecName: str | None = Field(default=None, description="Name of the GMSA credential spec.")
    gmsaCredentialSpec: str | None = Field(default=None, description="Contents of the GMSA credential spec.")
    runAsUserName: str | None = Field(default=None, description="User name to run as.")
    hostProcess: bool | None = Field(default=None, description="True if the container runs as a host process.")


class SecurityContext(ApiModel):
    """Security options of a container; they override those of the pod."""

    capabilities: Capabilities | None = Field(default=None, description="Capabilities to add and drop.")
    privileged: bool | None = Field(default=None, description="True if the container is privileged.")
    seLinuxOptions: SELinuxOptions | None = Field(default=None, description="SELinux context.")
    windowsOptions: WindowsSecurityContextOptions | None = Field(
        default=None, description="Settings for Windows, such as the user name; not allowed on Linux."
    )
    runAsUser: Int64 | None = Field(default=None, description="User ID to run as.")
    runAsGroup: Int64 | None = Field(default=None, description="Group ID to run as.")
    runAsNonRoot: bool | None = Field(default=None, description="True if containers must not run as root.")
    readOnlyRootFilesystem: bool | None = Field(default=None, description="True if the root file system is read-only.")
    allowPrivilegeEscalation: bool | None = Field(
        default=None, description="True if a process may gain more privileges than its parent."
    )
    procMount: Annotated[str | None, Named("v1.ProcMountType", ("Default", "Unmasked"))] = Field(
        default=None, description="Mount of /proc: Default, which hides some paths, or Unmasked."
    )
    seccompProfile: SeccompProfile | None = Field(default=None, description="Seccomp profile.")
    appArmorProfile: AppArmorProfile | None = Field(default=None, description="AppArmor profile.")


class Sysctl(ApiModel):
    """Name and value of a kernel parameter."""

    name: Annotated[str, Required()] = Field(default="", description="Name of the parameter.")
    value: Annotated[str, Required()] = Field(default="", description="Value of the parameter.")


class PodSecurityContext(ApiModel):
    """Security options of a pod and defaults for its containers."""

    seLinuxOptions: SELinuxOptions | None = Field(default=None, description="SELinux context.")
    windowsOptions: WindowsSecurityContextOptions | None = Field(default=None, description="Windows-specific settings.")
    runAsUser: Int64 | None = Field(default=None, description="User ID to run as.")
    runAsGroup: Int64 | None = Field(default=None, description="Group ID to run as.")
    runAsNonRoot: bool | None = Field(default=None, description="True if containers must not run as root.")
    supplementalGroups: list[Int64] = Field(default_factory=list, description="Supplemental group IDs.")
    supplementalGroupsPolicy: Annotated[str | None, Named("v1.SupplementalGroupsPolicy", ("Merge", "Strict"))] = Field(
        default=None, description="Merge to add the groups that the image gives the user; Strict to ignore them."
    )
    fsGroup: Int64 | None = Field(default=None, description="Group ID that owns the volumes.")
    sysctls: list[Sysctl] = Field(default_factory=list, description="Kernel parameters to set.")
    fsGroupChangePolicy: Annotated[str | None, Named("v1.PodFSGroupChangePolicy", ("Always", "OnRootMismatch"))] = (
        Field(
            default=None,
            description="Change of volume ownership: Always, or OnRootMismatch if that of the root directory is wrong.",
        )
    )
    seccompProfile: SeccompProfile | None = Field(default=None, description="Seccomp profile.")
    appArmorProfile: AppArmorProfile | None = Field(default=None, description="AppArmor profile.")
    seLinuxChangePolicy: Annotated[str | None, Named("v1.PodSELinuxChangePolicy")] = Field(
        default=None, description="Method of setting the SELinux labels of volumes: MountOption or Recursive."
    )
