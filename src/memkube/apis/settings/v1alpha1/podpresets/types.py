from pydantic import Field

from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.meta.v1.selectors import LabelSelector
from memkube.apimachinery.model import ApiModel
from memkube.apis.core.v1.podspec.types.containers import VolumeMount
from memkube.apis.core.v1.podspec.types.env import EnvFromSource, EnvVar
from memkube.apis.core.v1.podspec.types.volumes import Volume


class PodPresetSpec(ApiModel):
    """Selector of the pods to change, and the variables, volumes and mounts to add."""

    selector: LabelSelector = Field(
        default_factory=LabelSelector, description="Labels by which the new pods to change are selected."
    )
    env: list[EnvVar] = Field(default_factory=list, description="Environment variables to add to each container.")
    envFrom: list[EnvFromSource] = Field(
        default_factory=list, description="Sources of environment variables to add to each container."
    )
    volumes: list[Volume] = Field(default_factory=list, description="Volumes to add to each selected pod.")
    volumeMounts: list[VolumeMount] = Field(default_factory=list, description="Volume mounts to add to each container.")


class PodPreset(ApiObject):
    """Environment variables and volumes that are added to new pods with certain labels."""

    spec: PodPresetSpec = Field(
        default_factory=PodPresetSpec, description="Pods to change, and the variables, volumes and mounts to add."
    )
