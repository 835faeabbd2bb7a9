"""."""

from pydantic import Field

from memkube.apimachinery.meta.v1.object_meta import ObjectMeta
from memkube.apimachinery.model import ApiModel
from memkube.apis.core.v1.podspec.types.pod_spec import PodSpec


class PodTemplateSpec(ApiModel):
    """."""

    metadata: ObjectMeta = Field(default_factory=ObjectMeta, description="")
    spec: PodSpec = Field(default_factory=PodSpec, description="")
