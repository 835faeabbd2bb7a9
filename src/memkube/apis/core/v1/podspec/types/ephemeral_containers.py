"""."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import MapList, Merge, Named, Required
from memkube.apimachinery.model import ApiModel
from memkube.apis.core.v1.podspec.types.containers import ContainerPort, ContainerResizePolicy, ContainerRestartRule, VolumeDevice, VolumeMount
from memkube.apis.core.v1.podspec.types.env import EnvFromSource, EnvVar
from memkube.apis.core.v1.podspec.types.probes import Lifecycle, Probe
from memkube.apis.core.v1.podspec.types.resources import ResourceRequirements
from memkube.apis.core.v1.podspec.types.security import SecurityContext


class EphemeralContainerCommon(ApiModel):
    """."""

    name: Annotated[str, Required()] = Field(default="", description="")
    image: str = Field(default="", description="")
    command: list[str] = Field(default_factory=list, description="")
    args: list[str] = Field(default_factory=list, description="")
    workingDir: str = Field(default="", description="")
    ports: Annotated[list[ContainerPort], MapList(("containerPort", "protocol",)), Merge("containerPort")] = Field(default_factory=list, description="")
    envFrom: list[EnvFromSource] = Field(default_factory=list, description="")
    env: Annotated[list[EnvVar], MapList(("name",)), Merge("name")] = Field(default_factory=list, description="")
    resources: ResourceRequirements = Field(default_factory=ResourceRequirements, description="")
    resizePolicy: list[ContainerResizePolicy] = Field(default_factory=list, description="")
    restartPolicy: Annotated[str | None, Named("v1.ContainerRestartPolicy")] = Field(default=None, description="")
    restartPolicyRules: list[ContainerRestartRule] = Field(default_factory=list, description="")
    volumeMounts: Annotated[list[VolumeMount], MapList(("mountPath",)), Merge("mountPath")] = Field(default_factory=list, description="")
    volumeDevices: Annotated[list[VolumeDevice], MapList(("devicePath",)), Merge("devicePath")] = Field(default_factory=list, description="")
    livenessProbe: Probe | None = Field(default=None, description="")
    readinessProbe: Probe | None = Field(default=None, description="")
    startupProbe: Probe | None = Field(default=None, description="")
    lifecycle: Lifecycle | None = Field(default=None, description="")
    terminationMessagePath: str = Field(default="", description="")
    terminationMessagePolicy: Annotated[str, Named("v1.TerminationMessagePolicy", ("FallbackToLogsOnError", "File"))] = Field(default="", description="")
    imagePullPolicy: Annotated[str, Named("v1.PullPolicy", ("Always", "IfNotPresent", "Never"))] = Field(default="", description="")
    securityContext: SecurityContext | None = Field(default=None, description="")
    stdin: bool = Field(default=False, description="")
    stdinOnce: bool = Field(default=False, description="")
    tty: bool = Field(default=False, description="")


class EphemeralContainer(EphemeralContainerCommon):
    """."""

    targetContainerName: str = Field(default="", description="")
