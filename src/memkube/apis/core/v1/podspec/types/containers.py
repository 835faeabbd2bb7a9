"""API types of containers and of their resources."""

from typing import Annotated, ClassVar

from pydantic import Field

from memkube.apimachinery.markers import Default, MapList, Merge, Named, Required, SetList
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int32, Quantity
from memkube.apis.core.v1.podspec.types.env import EnvFromSource, EnvVar
from memkube.apis.core.v1.podspec.types.probes import Lifecycle, Probe
from memkube.apis.core.v1.podspec.types.security import SecurityContext


class ResourceClaim(ApiModel):
    """Name of a resource claim of the pod, and optionally of one of its requests."""

    name: Annotated[str, Required()] = Field(
        default="", description="Name of the entry in the pod's spec.resourceClaims."
    )
    request: str = Field(
        default="", description="Name of one request of the claim, to use only its devices; all requests by default."
    )


class ResourceRequirements(ApiModel):
    """Resource requests and limits of a container, and the resource claims that it uses."""

    limits: Annotated[dict[str, Quantity], Named("v1.ResourceList")] = Field(
        default_factory=dict, description="Maximum amount of each resource that may be used."
    )
    requests: Annotated[dict[str, Quantity], Named("v1.ResourceList")] = Field(
        default_factory=dict, description="Minimum amount of each resource that is reserved; the limit by default."
    )
    claims: Annotated[list[ResourceClaim], MapList(("name",))] = Field(
        default_factory=list, description="Entries of the pod's spec.resourceClaims whose devices the container uses."
    )


class ContainerPort(ApiModel):
    """A port that a container listens on."""

    name: str = Field(
        default="", description="Name of the port, unique in the pod; Services and probes can refer to it."
    )
    hostPort: Int32 = Field(default=0, description="Port of the node that forwards to containerPort; 0 for none.")
    containerPort: Annotated[Int32, Required()] = Field(
        default=0, description="Port on the pod's IP address, 1 to 65535."
    )
    protocol: Annotated[str, Named("v1.Protocol", ("SCTP", "TCP", "UDP")), Default("TCP")] = Field(
        default="", description="Protocol of the port: TCP, UDP or SCTP."
    )
    hostIP: str = Field(default="", description="Node IP address to bind hostPort to.")


class ContainerResizePolicy(ApiModel):
    """Whether a container restarts when one of its resources is resized."""

    resourceName: Annotated[str, Named("v1.ResourceName"), Required()] = Field(
        default="", description="Name of the resized resource: cpu or memory."
    )
    restartPolicy: Annotated[str, Named("v1.ResourceResizeRestartPolicy"), Required()] = Field(
        default="",
        description="RestartContainer if the container restarts on a resize of the resource; otherwise NotRequired.",
    )


class ContainerRestartRuleOnExitCodes(ApiModel):
    """Condition of a restart rule on the exit code of a container: one of the values, or none of them."""

    operator: Annotated[str, Named("v1.ContainerRestartRuleOnExitCodesOperator"), Required(omits_zero=True)] = Field(
        default="", description="In if the exit code must be one of the values; NotIn if it must not."
    )
    values: Annotated[list[Int32], SetList()] = Field(
        default_factory=list, description="Numbers with which the container's exit code is compared."
    )


class ContainerRestartRule(ApiModel):
    """Action that is taken if a container exits with certain codes."""

    action: Annotated[str, Named("v1.ContainerRestartRuleAction"), Required(omits_zero=True)] = Field(
        default="",
        description="Action on a matching exit: Restart (of this container), or RestartAllContainers (of the pod).",
    )
    exitCodes: ContainerRestartRuleOnExitCodes | None = Field(
        default=None, description="Condition on the container's exit code; the action is taken if it holds."
    )


class VolumeDevice(ApiModel):
    """A block device of a container, backed by a volume."""

    name: Annotated[str, Required()] = Field(
        default="", description="Name of the pod's volume that the container uses as a block device."
    )
    devicePath: Annotated[str, Required()] = Field(
        default="",
        description="Path in the container at which the volume appears as a block device, such as /dev/xvda.",
    )


class VolumeMount(ApiModel):
    """A volume mounted into a container."""

    name: Annotated[str, Required()] = Field(default="", description="Name of the pod's volume to mount.")
    readOnly: bool = Field(default=False, description="True if the container cannot write to the volume.")
    recursiveReadOnly: Annotated[str | None, Named("v1.RecursiveReadOnlyMode")] = Field(
        default=None, description="Whether submounts are read-only as well: Disabled, IfPossible or Enabled."
    )
    mountPath: Annotated[str, Required()] = Field(default="", description="Mount path in the container, without ':'.")
    subPath: str = Field(default="", description="Path in the volume that is mounted instead of the volume's root.")
    mountPropagation: Annotated[
        str | None, Named("v1.MountPropagationMode", ("Bidirectional", "HostToContainer", "None"))
    ] = Field(
        default=None,
        description="Propagation of mounts between node and container: None, HostToContainer or Bidirectional.",
    )
    subPathExpr: str = Field(default="", description="Like subPath, with $(NAME) expanded from environment variables.")


class CommonContainer(ApiModel):
    """Base class with the fields that containers and ephemeral containers have in common."""

    go_struct: ClassVar[bool] = False

    name: Annotated[str, Required()] = Field(default="", description="Name, unique in the pod; must be a DNS label.")
    image: str = Field(default="", description="Reference of the image to run, such as nginx:1.27.")
    command: list[str] = Field(default_factory=list, description="Entrypoint; that of the image by default.")
    args: list[str] = Field(
        default_factory=list, description="Arguments of the entrypoint; those of the image by default."
    )
    workingDir: str = Field(default="", description="Working directory; that of the image by default.")
    ports: Annotated[
        list[ContainerPort],
        MapList(
            (
                "containerPort",
                "protocol",
            )
        ),
        Merge("containerPort"),
    ] = Field(
        default_factory=list,
        description="Ports that the container listens on; ports that are not listed are reachable too.",
    )
    envFrom: list[EnvFromSource] = Field(
        default_factory=list,
        description="ConfigMaps and Secrets whose keys become variables; later ones take precedence.",
    )
    env: Annotated[list[EnvVar], MapList(("name",)), Merge("name")] = Field(
        default_factory=list, description="Environment variables of the container; they take precedence over envFrom."
    )
    resources: ResourceRequirements = Field(
        default_factory=ResourceRequirements,
        description="Requests and limits for CPU, memory and other resources, and claimed devices.",
    )
    resizePolicy: list[ContainerResizePolicy] = Field(
        default_factory=list,
        description="For each resource, whether the container restarts when the resource is resized.",
    )
    restartPolicy: Annotated[str | None, Named("v1.ContainerRestartPolicy")] = Field(
        default=None, description="Restart policy: Always, OnFailure or Never. By default that of the pod."
    )
    restartPolicyRules: list[ContainerRestartRule] = Field(
        default_factory=list, description="Rules by exit code that take precedence over restartPolicy."
    )
    volumeMounts: Annotated[list[VolumeMount], MapList(("mountPath",)), Merge("mountPath")] = Field(
        default_factory=list, description="Volumes of the pod to mount, with their paths in the container."
    )
    volumeDevices: Annotated[list[VolumeDevice], MapList(("devicePath",)), Merge("devicePath")] = Field(
        default_factory=list, description="Volumes of the pod to use as block devices."
    )
    livenessProbe: Probe | None = Field(default=None, description="Liveness probe; the container restarts if it fails.")
    readinessProbe: Probe | None = Field(default=None, description="Readiness probe; the pod is not ready if it fails.")
    startupProbe: Probe | None = Field(
        default=None, description="Startup probe; must succeed before the other probes begin."
    )
    lifecycle: Lifecycle | None = Field(
        default=None, description="Hooks that are run after the container starts and before it stops."
    )
    terminationMessagePath: str = Field(
        default="", description="File in the container from which the termination message is read."
    )
    terminationMessagePolicy: Annotated[
        str, Named("v1.TerminationMessagePolicy", ("FallbackToLogsOnError", "File"))
    ] = Field(
        default="",
        description="File, or FallbackToLogsOnError: the end of a failed container's log if the file is empty.",
    )
    imagePullPolicy: Annotated[str, Named("v1.PullPolicy", ("Always", "IfNotPresent", "Never"))] = Field(
        default="", description="Pull policy of the image: Always, IfNotPresent or Never."
    )
    securityContext: SecurityContext | None = Field(
        default=None, description="Security options, such as user ID and capabilities; override those of the pod."
    )
    stdin: bool = Field(
        default=False, description="True to give the container a standard input, to which clients can write by attach."
    )
    stdinOnce: bool = Field(default=False, description="True if standard input closes after the first client detaches.")
    tty: bool = Field(
        default=False, description="True to allocate a terminal (TTY) for the container's process; requires stdin."
    )


class Container(CommonContainer):
    """A container of a pod: its image, command, resources, probes and volume mounts."""

    go_struct: ClassVar[bool] = True


class EphemeralContainerCommon(CommonContainer):
    """Base class with all fields of EphemeralContainer except targetContainerName, as in Go."""

    go_struct: ClassVar[bool] = True


class EphemeralContainer(EphemeralContainerCommon):
    """A container added to a running pod for debugging."""

    targetContainerName: str = Field(
        default="", description="Container whose process namespace to join; unset for the namespaces of the pod."
    )
