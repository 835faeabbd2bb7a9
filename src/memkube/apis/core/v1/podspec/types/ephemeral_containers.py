"""Containers that are added to a running pod for debugging."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import MapList, Merge, Named, Required
from memkube.apimachinery.model import ApiModel
from memkube.apis.core.v1.podspec.types.containers import (
    ContainerPort,
    ContainerResizePolicy,
    ContainerRestartRule,
    VolumeDevice,
    VolumeMount,
)
from memkube.apis.core.v1.podspec.types.env import EnvFromSource, EnvVar
from memkube.apis.core.v1.podspec.types.probes import Lifecycle, Probe
from memkube.apis.core.v1.podspec.types.resources import ResourceRequirements
from memkube.apis.core.v1.podspec.types.security import SecurityContext


class EphemeralContainerCommon(ApiModel):
    """What an ephemeral container shares with other containers."""

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


class EphemeralContainer(EphemeralContainerCommon):
    """A container added to a running pod, for debugging."""

    targetContainerName: str = Field(
        default="", description="Container whose processes it sees; none for the pod's own namespaces."
    )
