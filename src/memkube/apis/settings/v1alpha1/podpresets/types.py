"""Additions to pods."""

from pydantic import Field

from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.meta.v1.selectors import LabelSelector
from memkube.apimachinery.model import ApiModel
from memkube.apis.core.v1.podspec.types.containers import VolumeMount
from memkube.apis.core.v1.podspec.types.env import EnvFromSource, EnvVar
from memkube.apis.core.v1.podspec.types.volumes import Volume


class PodPresetSpec(ApiModel):
    """What is added to which pods."""

    selector: LabelSelector = Field(default_factory=LabelSelector, description="Selects the pods.")
    env: list[EnvVar] = Field(default_factory=list, description="Variables for each container.")
    envFrom: list[EnvFromSource] = Field(default_factory=list, description="Sources of variables for each container.")
    volumes: list[Volume] = Field(default_factory=list, description="Volumes for the pod.")
    volumeMounts: list[VolumeMount] = Field(default_factory=list, description="Mounts for each container.")


class PodPreset(ApiObject):
    """What new pods with certain labels get besides what they ask for."""

    spec: PodPresetSpec = Field(default_factory=PodPresetSpec, description="What is added to which pods.")
