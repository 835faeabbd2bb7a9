"""The pods that a workload makes."""

from pydantic import Field

from memkube.apimachinery.meta.v1.api_object import ObjectMeta
from memkube.apimachinery.model import ApiModel
from memkube.apis.core.v1.podspec.types.pod_spec import PodSpec


class PodTemplateSpec(ApiModel):
    """What the pods of a workload look like."""

    metadata: ObjectMeta = Field(default_factory=ObjectMeta, description="Labels and other metadata of the pods.")
    spec: PodSpec = Field(default_factory=PodSpec, description="What is wanted of the pods.")
