"""Rights of pods and containers."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Named, Required
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int64


class AppArmorProfile(ApiModel):
    """An AppArmor profile."""

    type: Annotated[str, Named("v1.AppArmorProfileType", ("Localhost", "RuntimeDefault", "Unconfined")), Required()] = (
        Field(default="", description="Localhost, RuntimeDefault or Unconfined.")
    )
    localhostProfile: str | None = Field(default=None, description="Profile of the node, for Localhost.")


class Capabilities(ApiModel):
    """Changes to the default set of capabilities."""

    add: list[Annotated[str, Named("v1.Capability")]] = Field(default_factory=list, description="Capabilities to add.")
    drop: list[Annotated[str, Named("v1.Capability")]] = Field(
        default_factory=list, description="Capabilities to drop."
    )


class SELinuxOptions(ApiModel):
    """An SELinux label."""

    user: str = Field(default="", description="User of the label.")
    role: str = Field(default="", description="Role of the label.")
    type: str = Field(default="", description="Type of the label.")
    level: str = Field(default="", description="Level of the label.")


class SeccompProfile(ApiModel):
    """A seccomp profile."""

    type: Annotated[str, Named("v1.SeccompProfileType", ("Localhost", "RuntimeDefault", "Unconfined")), Required()] = (
        Field(default="", description="Localhost, RuntimeDefault or Unconfined.")
    )
    localhostProfile: str | None = Field(default=None, description="File of the node, for Localhost.")


class WindowsSecurityContextOptions(ApiModel):
    """Settings for Windows."""

    gmsaCredentialSpecName: str | None = Field(default=None, description="Name of the GMSA credential spec.")
    gmsaCredentialSpec: str | None = Field(default=None, description="GMSA credential spec itself.")
    runAsUserName: str | None = Field(default=None, description="User to run as.")
    hostProcess: bool | None = Field(default=None, description="Whether the container runs as a process of the host.")


class SecurityContext(ApiModel):
    """Rights of a container; they win over those of the pod."""

    capabilities: Capabilities | None = Field(default=None, description="Capabilities to add and drop.")
    privileged: bool | None = Field(
        default=None, description="Whether the container has the rights of the node's root."
    )
    seLinuxOptions: SELinuxOptions | None = Field(default=None, description="SELinux label.")
    windowsOptions: WindowsSecurityContextOptions | None = Field(default=None, description="Settings for Windows.")
    runAsUser: Int64 | None = Field(default=None, description="User id to run as.")
    runAsGroup: Int64 | None = Field(default=None, description="Group id to run as.")
    runAsNonRoot: bool | None = Field(default=None, description="Whether running as root is refused.")
    readOnlyRootFilesystem: bool | None = Field(default=None, description="Whether the root file system is read-only.")
    allowPrivilegeEscalation: bool | None = Field(
        default=None, description="Whether a process may gain more rights than its parent."
    )
    procMount: Annotated[str | None, Named("v1.ProcMountType", ("Default", "Unmasked"))] = Field(
        default=None, description="Default or Unmasked."
    )
    seccompProfile: SeccompProfile | None = Field(default=None, description="Seccomp profile.")
    appArmorProfile: AppArmorProfile | None = Field(default=None, description="AppArmor profile.")


class Sysctl(ApiModel):
    """A kernel parameter."""

    name: Annotated[str, Required()] = Field(default="", description="Name of the parameter.")
    value: Annotated[str, Required()] = Field(default="", description="Value of the parameter.")


class PodSecurityContext(ApiModel):
    """Rights of a pod and defaults for its containers."""

    seLinuxOptions: SELinuxOptions | None = Field(default=None, description="SELinux label.")
    windowsOptions: WindowsSecurityContextOptions | None = Field(default=None, description="Settings for Windows.")
    runAsUser: Int64 | None = Field(default=None, description="User id to run as.")
    runAsGroup: Int64 | None = Field(default=None, description="Group id to run as.")
    runAsNonRoot: bool | None = Field(default=None, description="Whether running as root is refused.")
    supplementalGroups: list[Int64] = Field(default_factory=list, description="Further group ids.")
    supplementalGroupsPolicy: Annotated[str | None, Named("v1.SupplementalGroupsPolicy", ("Merge", "Strict"))] = Field(
        default=None, description="Whether the image's groups count too: Merge or Strict."
    )
    fsGroup: Int64 | None = Field(default=None, description="Group id that owns the volumes.")
    sysctls: list[Sysctl] = Field(default_factory=list, description="Kernel parameters to set.")
    fsGroupChangePolicy: Annotated[str | None, Named("v1.PodFSGroupChangePolicy", ("Always", "OnRootMismatch"))] = (
        Field(default=None, description="When to change the owner of volumes: Always or OnRootMismatch.")
    )
    seccompProfile: SeccompProfile | None = Field(default=None, description="Seccomp profile.")
    appArmorProfile: AppArmorProfile | None = Field(default=None, description="AppArmor profile.")
    seLinuxChangePolicy: Annotated[str | None, Named("v1.PodSELinuxChangePolicy")] = Field(
        default=None, description="How volumes get their label: MountOption or Recursive."
    )
