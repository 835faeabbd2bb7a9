"""API types of security options of pods and containers."""

from typing import Annotated, ClassVar

from pydantic import Field

from memkube.apimachinery.markers import Named, OneOf, Required
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int64


class AppArmorProfile(ApiModel):
    """Type and name of an AppArmor profile."""

    union: ClassVar[OneOf] = OneOf("type", ("localhostProfile",))

    type: Annotated[str, Named("v1.AppArmorProfileType", ("Localhost", "RuntimeDefault", "Unconfined")), Required()] = (
        Field(default="", description="Profile to use: Localhost, RuntimeDefault, or Unconfined for none.")
    )
    localhostProfile: str | None = Field(
        default=None, description="Name of a profile that is loaded on the node, for type Localhost."
    )


class Capabilities(ApiModel):
    """Linux capabilities to add to or drop from a container's default set."""

    add: list[Annotated[str, Named("v1.Capability")]] = Field(
        default_factory=list, description="Linux capabilities to add to the runtime's defaults, such as NET_ADMIN."
    )
    drop: list[Annotated[str, Named("v1.Capability")]] = Field(
        default_factory=list, description="Linux capabilities to remove from the runtime's defaults, such as ALL."
    )


class SELinuxOptions(ApiModel):
    """SELinux context (user, role, type, level) of a container."""

    user: str = Field(default="", description="User in the SELinux label of the processes, such as system_u.")
    role: str = Field(default="", description="Role in the SELinux label of the processes, such as system_r.")
    type: str = Field(default="", description="Type in the SELinux label of the processes, such as container_t.")
    level: str = Field(default="", description="Level in the SELinux label of the processes, such as s0:c123,c456.")


class SeccompProfile(ApiModel):
    """Type and path of a seccomp profile."""

    union: ClassVar[OneOf] = OneOf("type", ("localhostProfile",))

    type: Annotated[str, Named("v1.SeccompProfileType", ("Localhost", "RuntimeDefault", "Unconfined")), Required()] = (
        Field(default="", description="Profile to use: Localhost, RuntimeDefault, or Unconfined for none.")
    )
    localhostProfile: str | None = Field(
        default=None, description="Path of a profile file on the node, for type Localhost."
    )


class WindowsSecurityContextOptions(ApiModel):
    """GMSA credential spec, user name and hostProcess of a Windows container."""

    gmsaCredentialSpecName: str | None = Field(
        default=None, description="Name of the credential spec of a Windows group managed service account (GMSA)."
    )
    gmsaCredentialSpec: str | None = Field(
        default=None, description="Contents of the GMSA credential spec, usually filled in by an admission webhook."
    )
    runAsUserName: str | None = Field(
        default=None, description="Windows user to run the first process as; that of the image by default."
    )
    hostProcess: bool | None = Field(
        default=None,
        description="True if the container runs as a process of the Windows node, without isolation from it.",
    )


class SecurityContext(ApiModel):
    """Security options of a container; they override those of the pod."""

    capabilities: Capabilities | None = Field(
        default=None, description="Linux capabilities to add to, or drop from, the runtime's defaults."
    )
    privileged: bool | None = Field(
        default=None, description="True to give the container nearly all rights of root on the node."
    )
    seLinuxOptions: SELinuxOptions | None = Field(
        default=None, description="SELinux label of the container's processes; the pod's if unset."
    )
    windowsOptions: WindowsSecurityContextOptions | None = Field(
        default=None, description="Settings for Windows, such as the user name; not allowed on Linux."
    )
    runAsUser: Int64 | None = Field(
        default=None, description="User ID to run the first process as; that of the pod or image by default."
    )
    runAsGroup: Int64 | None = Field(
        default=None, description="Group ID to run the first process with; that of the pod by default."
    )
    runAsNonRoot: bool | None = Field(default=None, description="True if containers must not run as root.")
    readOnlyRootFilesystem: bool | None = Field(default=None, description="True if the root file system is read-only.")
    allowPrivilegeEscalation: bool | None = Field(
        default=None, description="True if a process may gain more privileges than its parent."
    )
    procMount: Annotated[str | None, Named("v1.ProcMountType", ("Default", "Unmasked"))] = Field(
        default=None, description="Mount of /proc: Default, which hides some paths, or Unmasked."
    )
    seccompProfile: SeccompProfile | None = Field(
        default=None, description="Seccomp profile, which limits the container's system calls; the pod's if unset."
    )
    appArmorProfile: AppArmorProfile | None = Field(
        default=None, description="AppArmor profile that confines the container; the pod's if unset."
    )


class Sysctl(ApiModel):
    """Name and value of a kernel parameter."""

    name: Annotated[str, Required()] = Field(
        default="", description="Name of the kernel parameter, such as net.core.somaxconn."
    )
    value: Annotated[str, Required()] = Field(default="", description="Value to which the kernel parameter is set.")


class PodSecurityContext(ApiModel):
    """Security options of a pod and defaults for its containers."""

    seLinuxOptions: SELinuxOptions | None = Field(
        default=None, description="SELinux label of the processes in all containers; chosen by the runtime if unset."
    )
    windowsOptions: WindowsSecurityContextOptions | None = Field(
        default=None, description="Settings for Windows, such as the user name; not allowed on Linux."
    )
    runAsUser: Int64 | None = Field(
        default=None, description="User ID to run the containers as; that of the image by default."
    )
    runAsGroup: Int64 | None = Field(default=None, description="Primary group ID to run the containers with.")
    runAsNonRoot: bool | None = Field(default=None, description="True if containers must not run as root.")
    supplementalGroups: list[Int64] = Field(
        default_factory=list, description="IDs of additional groups of the first process in each container."
    )
    supplementalGroupsPolicy: Annotated[str | None, Named("v1.SupplementalGroupsPolicy", ("Merge", "Strict"))] = Field(
        default=None, description="Merge to add the groups that the image gives the user; Strict to ignore them."
    )
    fsGroup: Int64 | None = Field(default=None, description="ID of the group that owns the pod's volumes.")
    sysctls: list[Sysctl] = Field(default_factory=list, description="Kernel parameters (sysctls) to set for the pod.")
    fsGroupChangePolicy: Annotated[str | None, Named("v1.PodFSGroupChangePolicy", ("Always", "OnRootMismatch"))] = (
        Field(
            default=None,
            description="When to set all files' group: Always, or OnRootMismatch if the root directory's is wrong.",
        )
    )
    seccompProfile: SeccompProfile | None = Field(
        default=None, description="Seccomp profile, which limits the system calls of all containers."
    )
    appArmorProfile: AppArmorProfile | None = Field(
        default=None, description="AppArmor profile that confines all containers of the pod."
    )
    seLinuxChangePolicy: Annotated[str | None, Named("v1.PodSELinuxChangePolicy")] = Field(
        default=None, description="Method of setting the SELinux labels of volumes: MountOption or Recursive."
    )
