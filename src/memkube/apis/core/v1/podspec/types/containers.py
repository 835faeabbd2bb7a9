"""Containers of pods, and the resources that they ask for."""

from typing import Annotated, ClassVar

from pydantic import Field

from memkube.apimachinery.markers import Default, MapList, Merge, Named, Required, SetList
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int32, Quantity
from memkube.apis.core.v1.podspec.types.env import EnvFromSource, EnvVar
from memkube.apis.core.v1.podspec.types.probes import Lifecycle, Probe
from memkube.apis.core.v1.podspec.types.security import SecurityContext


class ResourceClaim(ApiModel):
    """A claim that a container uses."""

    name: Annotated[str, Required()] = Field(default="", description="Name of the claim in the pod's spec.")
    request: str = Field(default="", description="Request of the claim; all by default.")


class ResourceRequirements(ApiModel):
    """How much a container asks for and may use."""

    limits: Annotated[dict[str, Quantity], Named("v1.ResourceList")] = Field(
        default_factory=dict, description="Most that may be used."
    )
    requests: Annotated[dict[str, Quantity], Named("v1.ResourceList")] = Field(
        default_factory=dict, description="Least that is needed; the limits by default."
    )
    claims: Annotated[list[ResourceClaim], MapList(("name",))] = Field(
        default_factory=list, description="Claims that the container uses."
    )


class ContainerPort(ApiModel):
    """A port that a container listens on."""

    name: str = Field(default="", description="Name of the port, unique in the pod.")
    hostPort: Int32 = Field(default=0, description="Port of the node to bind; 0 for none.")
    containerPort: Annotated[Int32, Required()] = Field(default=0, description="Port of the pod's address, 1 to 65535.")
    protocol: Annotated[str, Named("v1.Protocol", ("SCTP", "TCP", "UDP")), Default("TCP")] = Field(
        default="", description="TCP, UDP or SCTP."
    )
    hostIP: str = Field(default="", description="Address of the node to bind hostPort to.")


class ContainerResizePolicy(ApiModel):
    """What a resize of a resource does to the container."""

    resourceName: Annotated[str, Named("v1.ResourceName"), Required()] = Field(default="", description="cpu or memory.")
    restartPolicy: Annotated[str, Named("v1.ResourceResizeRestartPolicy"), Required()] = Field(
        default="", description="NotRequired or RestartContainer."
    )


class ContainerRestartRuleOnExitCodes(ApiModel):
    """Exit codes that a restart rule is about."""

    operator: Annotated[str, Named("v1.ContainerRestartRuleOnExitCodesOperator"), Required(omits_zero=True)] = Field(
        default="", description="In or NotIn."
    )
    values: Annotated[list[Int32], SetList()] = Field(default_factory=list, description="Exit codes.")


class ContainerRestartRule(ApiModel):
    """What to do when a container ends in a certain way."""

    action: Annotated[str, Named("v1.ContainerRestartRuleAction"), Required(omits_zero=True)] = Field(
        default="", description="Restart or RestartAllContainers."
    )
    exitCodes: ContainerRestartRuleOnExitCodes | None = Field(
        default=None, description="Exit codes for which the rule holds."
    )


class VolumeDevice(ApiModel):
    """A volume that a container uses as a block device."""

    name: Annotated[str, Required()] = Field(default="", description="Name of the volume.")
    devicePath: Annotated[str, Required()] = Field(default="", description="Path of the device in the container.")


class VolumeMount(ApiModel):
    """A volume that a container sees as a directory."""

    name: Annotated[str, Required()] = Field(default="", description="Name of the volume.")
    readOnly: bool = Field(default=False, description="Whether the container may not write.")
    recursiveReadOnly: Annotated[str | None, Named("v1.RecursiveReadOnlyMode")] = Field(
        default=None, description="Whether mounts below are read-only as well: Disabled, IfPossible or Enabled."
    )
    mountPath: Annotated[str, Required()] = Field(default="", description="Path in the container, without a colon.")
    subPath: str = Field(default="", description="Path in the volume to mount; its root by default.")
    mountPropagation: Annotated[
        str | None, Named("v1.MountPropagationMode", ("Bidirectional", "HostToContainer", "None"))
    ] = Field(default=None, description="How mounts spread between node and container.")
    subPathExpr: str = Field(default="", description="Like subPath, with $(NAME) replaced by environment variables.")


class CommonContainer(ApiModel):
    """What containers have in common, whichever way they come into a pod; the reference repeats it."""

    go_struct: ClassVar[bool] = False

    name: Annotated[str, Required()] = Field(default="", description="Name, unique in the pod; a DNS label.")
    image: str = Field(default="", description="Image to run.")
    command: list[str] = Field(default_factory=list, description="Program to run in place of the image's entrypoint.")
    args: list[str] = Field(default_factory=list, description="Arguments in place of those of the image.")
    workingDir: str = Field(default="", description="Directory to start in; that of the image by default.")
    ports: Annotated[
        list[ContainerPort],
        MapList(
            (
                "containerPort",
                "protocol",
            )
        ),
        Merge("containerPort"),
    ] = Field(default_factory=list, description="Ports that the container listens on.")
    envFrom: list[EnvFromSource] = Field(
        default_factory=list, description="Sources of environment variables; later ones win."
    )
    env: Annotated[list[EnvVar], MapList(("name",)), Merge("name")] = Field(
        default_factory=list, description="Environment variables."
    )
    resources: ResourceRequirements = Field(
        default_factory=ResourceRequirements, description="Resources that the container asks for and may use at most."
    )
    resizePolicy: list[ContainerResizePolicy] = Field(
        default_factory=list, description="What a resize does to the container."
    )
    restartPolicy: Annotated[str | None, Named("v1.ContainerRestartPolicy")] = Field(
        default=None, description="When to restart the container, if not by the pod's policy."
    )
    restartPolicyRules: list[ContainerRestartRule] = Field(
        default_factory=list, description="Exceptions from restartPolicy by exit code."
    )
    volumeMounts: Annotated[list[VolumeMount], MapList(("mountPath",)), Merge("mountPath")] = Field(
        default_factory=list, description="Volumes to mount."
    )
    volumeDevices: Annotated[list[VolumeDevice], MapList(("devicePath",)), Merge("devicePath")] = Field(
        default_factory=list, description="Volumes to use as block devices."
    )
    livenessProbe: Probe | None = Field(default=None, description="Check whose failure restarts the container.")
    readinessProbe: Probe | None = Field(default=None, description="Check whose failure takes the pod out of service.")
    startupProbe: Probe | None = Field(default=None, description="Check that must pass before the other probes begin.")
    lifecycle: Lifecycle | None = Field(default=None, description="Actions after the start and before the end.")
    terminationMessagePath: str = Field(default="", description="File that holds the container's last words.")
    terminationMessagePolicy: Annotated[
        str, Named("v1.TerminationMessagePolicy", ("FallbackToLogsOnError", "File"))
    ] = Field(default="", description="File, or FallbackToLogsOnError to use the log's end after a failure.")
    imagePullPolicy: Annotated[str, Named("v1.PullPolicy", ("Always", "IfNotPresent", "Never"))] = Field(
        default="", description="When to pull the image: Always, IfNotPresent or Never."
    )
    securityContext: SecurityContext | None = Field(default=None, description="Rights of the container.")
    stdin: bool = Field(default=False, description="Whether the container keeps a place to read input from.")
    stdinOnce: bool = Field(default=False, description="Whether input ends with the first client that attaches.")
    tty: bool = Field(default=False, description="Whether the container gets a terminal.")


class Container(CommonContainer):
    """A program to run in a pod."""

    go_struct: ClassVar[bool] = True


class EphemeralContainerCommon(CommonContainer):
    """What an ephemeral container shares with other containers."""

    go_struct: ClassVar[bool] = True


class EphemeralContainer(EphemeralContainerCommon):
    """A container added to a running pod, for debugging."""

    targetContainerName: str = Field(
        default="", description="Container whose processes it sees; none for the pod's own namespaces."
    )
