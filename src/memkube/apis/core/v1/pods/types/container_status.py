"""."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import MapList, Merge, Named, Required
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int32, Int64, Quantity, Time
from memkube.apis.core.v1.podspec.types.resources import ResourceRequirements


class ContainerStateRunning(ApiModel):
    """."""

    startedAt: Time | None = Field(default=None, description="")


class ContainerStateTerminated(ApiModel):
    """."""

    exitCode: Annotated[Int32, Required()] = Field(default=0, description="")
    signal: Int32 = Field(default=0, description="")
    reason: str = Field(default="", description="")
    message: str = Field(default="", description="")
    startedAt: Time | None = Field(default=None, description="")
    finishedAt: Time | None = Field(default=None, description="")
    containerID: str = Field(default="", description="")


class ContainerStateWaiting(ApiModel):
    """."""

    reason: str = Field(default="", description="")
    message: str = Field(default="", description="")


class ContainerState(ApiModel):
    """."""

    waiting: ContainerStateWaiting | None = Field(default=None, description="")
    running: ContainerStateRunning | None = Field(default=None, description="")
    terminated: ContainerStateTerminated | None = Field(default=None, description="")


class LinuxContainerUser(ApiModel):
    """."""

    uid: Annotated[Int64, Required()] = Field(default=0, description="")
    gid: Annotated[Int64, Required()] = Field(default=0, description="")
    supplementalGroups: list[Int64] = Field(default_factory=list, description="")


class ContainerUser(ApiModel):
    """."""

    linux: LinuxContainerUser | None = Field(default=None, description="")


class ResourceHealth(ApiModel):
    """."""

    resourceID: Annotated[str, Named("v1.ResourceID"), Required()] = Field(default="", description="")
    health: Annotated[str, Named("v1.ResourceHealthStatus")] = Field(default="", description="")
    message: str | None = Field(default=None, description="")


class ResourceStatus(ApiModel):
    """."""

    name: Annotated[str, Named("v1.ResourceName"), Required()] = Field(default="", description="")
    resources: Annotated[list[ResourceHealth], MapList(("resourceID",))] = Field(default_factory=list, description="")


class ImageVolumeStatus(ApiModel):
    """."""

    imageRef: Annotated[str, Required()] = Field(default="", description="")


class VolumeStatus(ApiModel):
    """."""

    image: ImageVolumeStatus | None = Field(default=None, description="")


class VolumeMountStatus(ApiModel):
    """."""

    name: Annotated[str, Required()] = Field(default="", description="")
    mountPath: Annotated[str, Required()] = Field(default="", description="")
    readOnly: bool = Field(default=False, description="")
    recursiveReadOnly: Annotated[str | None, Named("v1.RecursiveReadOnlyMode")] = Field(default=None, description="")
    volumeStatus: VolumeStatus | None = Field(default=None, description="")


class ContainerStatus(ApiModel):
    """."""

    name: Annotated[str, Required()] = Field(default="", description="")
    state: ContainerState = Field(default_factory=ContainerState, description="")
    lastState: ContainerState = Field(default_factory=ContainerState, description="")
    ready: Annotated[bool, Required()] = Field(default=False, description="")
    restartCount: Annotated[Int32, Required()] = Field(default=0, description="")
    image: Annotated[str, Required()] = Field(default="", description="")
    imageID: Annotated[str, Required()] = Field(default="", description="")
    containerID: str = Field(default="", description="")
    started: bool | None = Field(default=None, description="")
    allocatedResources: Annotated[dict[str, Quantity], Named("v1.ResourceList")] = Field(default_factory=dict, description="")
    resources: ResourceRequirements | None = Field(default=None, description="")
    volumeMounts: Annotated[list[VolumeMountStatus], MapList(("mountPath",)), Merge("mountPath")] = Field(default_factory=list, description="")
    user: ContainerUser | None = Field(default=None, description="")
    allocatedResourcesStatus: Annotated[list[ResourceStatus], MapList(("name",)), Merge("name")] = Field(default_factory=list, description="")
    stopSignal: Annotated[str | None, Named("v1.Signal", ("SIGABRT", "SIGALRM", "SIGBUS", "SIGCHLD", "SIGCLD", "SIGCONT", "SIGFPE", "SIGHUP", "SIGILL", "SIGINT", "SIGIO", "SIGIOT", "SIGKILL", "SIGPIPE", "SIGPOLL", "SIGPROF", "SIGPWR", "SIGQUIT", "SIGRTMAX", "SIGRTMAX-1", "SIGRTMAX-10", "SIGRTMAX-11", "SIGRTMAX-12", "SIGRTMAX-13", "SIGRTMAX-14", "SIGRTMAX-2", "SIGRTMAX-3", "SIGRTMAX-4", "SIGRTMAX-5", "SIGRTMAX-6", "SIGRTMAX-7", "SIGRTMAX-8", "SIGRTMAX-9", "SIGRTMIN", "SIGRTMIN+1", "SIGRTMIN+10", "SIGRTMIN+11", "SIGRTMIN+12", "SIGRTMIN+13", "SIGRTMIN+14", "SIGRTMIN+15", "SIGRTMIN+2", "SIGRTMIN+3", "SIGRTMIN+4", "SIGRTMIN+5", "SIGRTMIN+6", "SIGRTMIN+7", "SIGRTMIN+8", "SIGRTMIN+9", "SIGSEGV", "SIGSTKFLT", "SIGSTOP", "SIGSYS", "SIGTERM", "SIGTRAP", "SIGTSTP", "SIGTTIN", "SIGTTOU", "SIGURG", "SIGUSR1", "SIGUSR2", "SIGVTALRM", "SIGWINCH", "SIGXCPU", "SIGXFSZ"))] = Field(default=None, description="")
