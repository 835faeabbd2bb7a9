"""."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Named, Required
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int64


class AppArmorProfile(ApiModel):
    """."""

    type: Annotated[str, Named("v1.AppArmorProfileType", ("Localhost", "RuntimeDefault", "Unconfined")), Required()] = Field(default="", description="")
    localhostProfile: str | None = Field(default=None, description="")


class Capabilities(ApiModel):
    """."""

    add: list[Annotated[str, Named("v1.Capability")]] = Field(default_factory=list, description="")
    drop: list[Annotated[str, Named("v1.Capability")]] = Field(default_factory=list, description="")


class SELinuxOptions(ApiModel):
    """."""

    user: str = Field(default="", description="")
    role: str = Field(default="", description="")
    type: str = Field(default="", description="")
    level: str = Field(default="", description="")


class SeccompProfile(ApiModel):
    """."""

    type: Annotated[str, Named("v1.SeccompProfileType", ("Localhost", "RuntimeDefault", "Unconfined")), Required()] = Field(default="", description="")
    localhostProfile: str | None = Field(default=None, description="")


class WindowsSecurityContextOptions(ApiModel):
    """."""

    gmsaCredentialSpecName: str | None = Field(default=None, description="")
    gmsaCredentialSpec: str | None = Field(default=None, description="")
    runAsUserName: str | None = Field(default=None, description="")
    hostProcess: bool | None = Field(default=None, description="")


class SecurityContext(ApiModel):
    """."""

    capabilities: Capabilities | None = Field(default=None, description="")
    privileged: bool | None = Field(default=None, description="")
    seLinuxOptions: SELinuxOptions | None = Field(default=None, description="")
    windowsOptions: WindowsSecurityContextOptions | None = Field(default=None, description="")
    runAsUser: Int64 | None = Field(default=None, description="")
    runAsGroup: Int64 | None = Field(default=None, description="")
    runAsNonRoot: bool | None = Field(default=None, description="")
    readOnlyRootFilesystem: bool | None = Field(default=None, description="")
    allowPrivilegeEscalation: bool | None = Field(default=None, description="")
    procMount: Annotated[str | None, Named("v1.ProcMountType", ("Default", "Unmasked"))] = Field(default=None, description="")
    seccompProfile: SeccompProfile | None = Field(default=None, description="")
    appArmorProfile: AppArmorProfile | None = Field(default=None, description="")


class Sysctl(ApiModel):
    """."""

    name: Annotated[str, Required()] = Field(default="", description="")
    value: Annotated[str, Required()] = Field(default="", description="")


class PodSecurityContext(ApiModel):
    """."""

    seLinuxOptions: SELinuxOptions | None = Field(default=None, description="")
    windowsOptions: WindowsSecurityContextOptions | None = Field(default=None, description="")
    runAsUser: Int64 | None = Field(default=None, description="")
    runAsGroup: Int64 | None = Field(default=None, description="")
    runAsNonRoot: bool | None = Field(default=None, description="")
    supplementalGroups: list[Int64] = Field(default_factory=list, description="")
    supplementalGroupsPolicy: Annotated[str | None, Named("v1.SupplementalGroupsPolicy", ("Merge", "Strict"))] = Field(default=None, description="")
    fsGroup: Int64 | None = Field(default=None, description="")
    sysctls: list[Sysctl] = Field(default_factory=list, description="")
    fsGroupChangePolicy: Annotated[str | None, Named("v1.PodFSGroupChangePolicy", ("Always", "OnRootMismatch"))] = Field(default=None, description="")
    seccompProfile: SeccompProfile | None = Field(default=None, description="")
    appArmorProfile: AppArmorProfile | None = Field(default=None, description="")
    seLinuxChangePolicy: Annotated[str | None, Named("v1.PodSELinuxChangePolicy")] = Field(default=None, description="")
