"""What has become of a pod's containers."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Always, MapList, Merge, Named, Required
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int32, Int64, Quantity, Time
from memkube.apis.core.v1.podspec.types.resources import ResourceRequirements
from memkube.apis.core.v1.podspec.types.signals import SIGNALS


class ContainerStateRunning(ApiModel):
    """A container that runs."""

    startedAt: Annotated[Time | None, Always()] = Field(default=None, description="When the container was started.")


class ContainerStateTerminated(ApiModel):
    """A container that has ended."""

    exitCode: Annotated[Int32, Required()] = Field(default=0, description="Exit code of its main process.")
    signal: Int32 = Field(default=0, description="Signal that ended its main process.")
    reason: str = Field(default="", description="Why it ended, in one word.")
    message: str = Field(default="", description="Why it ended, for people.")
    startedAt: Annotated[Time | None, Always()] = Field(default=None, description="When the container was started.")
    finishedAt: Annotated[Time | None, Always()] = Field(default=None, description="When the container ended.")
    containerID: str = Field(default="", description="Identifier of the container, with its runtime.")


class ContainerStateWaiting(ApiModel):
    """A container that does not run yet."""

    reason: str = Field(default="", description="Why it waits, in one word.")
    message: str = Field(default="", description="Why it waits, for people.")


class ContainerState(ApiModel):
    """The state of a container; at most one of the fields is set, and none means waiting."""

    waiting: ContainerStateWaiting | None = Field(default=None, description="Set while the container waits to run.")
    running: ContainerStateRunning | None = Field(default=None, description="Set while the container runs.")
    terminated: ContainerStateTerminated | None = Field(default=None, description="Set once the container has ended.")


class LinuxContainerUser(ApiModel):
    """The user of a process on Linux."""

    uid: Annotated[Int64, Required()] = Field(default=0, description="User id.")
    gid: Annotated[Int64, Required()] = Field(default=0, description="Group id.")
    supplementalGroups: list[Int64] = Field(default_factory=list, description="Further group ids.")


class ContainerUser(ApiModel):
    """The user that a container's first process started as."""

    linux: LinuxContainerUser | None = Field(default=None, description="User and groups on Linux.")


class ResourceHealth(ApiModel):
    """The health of a device."""

    resourceID: Annotated[str, Named("v1.ResourceID"), Required()] = Field(
        default="", description="Identifier of the device, unique on the node."
    )
    health: Annotated[str, Named("v1.ResourceHealthStatus")] = Field(
        default="", description="Healthy, Unhealthy or Unknown."
    )
    message: str | None = Field(default=None, description="More about the health, for people.")


class ResourceStatus(ApiModel):
    """The health of the devices of one resource."""

    name: Annotated[str, Named("v1.ResourceName"), Required()] = Field(
        default="", description="Name of the resource, with its claim if it comes from one."
    )
    resources: Annotated[list[ResourceHealth], MapList(("resourceID",))] = Field(
        default_factory=list, description="Devices and their health."
    )


class ImageVolumeStatus(ApiModel):
    """The image that a volume shows."""

    imageRef: Annotated[str, Required(omits_zero=True)] = Field(default="", description="Digest of the image.")


class VolumeStatus(ApiModel):
    """The state of a mounted volume, by its kind."""

    image: ImageVolumeStatus | None = Field(default=None, description="Set for volumes that show an image.")


class VolumeMountStatus(ApiModel):
    """The state of a volume mount."""

    name: Annotated[str, Required()] = Field(default="", description="Name of the volume.")
    mountPath: Annotated[str, Required()] = Field(default="", description="Path in the container.")
    readOnly: bool = Field(default=False, description="Whether the mount is read-only.")
    recursiveReadOnly: Annotated[str | None, Named("v1.RecursiveReadOnlyMode")] = Field(
        default=None, description="Whether mounts below are read-only as well: Disabled, IfPossible or Enabled."
    )
    volumeStatus: VolumeStatus | None = Field(default=None, description="State of the volume, by its kind.")


class ContainerStatus(ApiModel):
    """The state of a container."""

    name: Annotated[str, Required()] = Field(default="", description="Name of the container in the pod's spec.")
    state: ContainerState = Field(default_factory=ContainerState, description="State at present.")
    lastState: ContainerState = Field(
        default_factory=ContainerState, description="How the container ended before it was restarted."
    )
    ready: Annotated[bool, Required()] = Field(
        default=False, description="Whether the container passes its readiness probe."
    )
    restartCount: Annotated[Int32, Required()] = Field(default=0, description="How often the container was restarted.")
    image: Annotated[str, Required()] = Field(default="", description="Name of the image that runs.")
    imageID: Annotated[str, Required()] = Field(default="", description="Identifier of the image that runs.")
    containerID: str = Field(default="", description="Identifier of the container, with its runtime.")
    started: bool | None = Field(default=None, description="Whether the container has passed its startup probe.")
    allocatedResources: Annotated[dict[str, Quantity], Named("v1.ResourceList")] = Field(
        default_factory=dict, description="Resources that the node has set aside for the container."
    )
    resources: ResourceRequirements | None = Field(default=None, description="Requests and limits that are in effect.")
    volumeMounts: Annotated[list[VolumeMountStatus], MapList(("mountPath",)), Merge("mountPath")] = Field(
        default_factory=list, description="State of the volume mounts."
    )
    user: ContainerUser | None = Field(default=None, description="User that the first process started as.")
    allocatedResourcesStatus: Annotated[list[ResourceStatus], MapList(("name",)), Merge("name")] = Field(
        default_factory=list, description="Health of the devices that the container has."
    )
    stopSignal: Annotated[str | None, Named("v1.Signal", SIGNALS)] = Field(
        default=None, description="Signal that stops the container."
    )
