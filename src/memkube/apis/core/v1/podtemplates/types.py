from pydantic import Field

from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apis.core.v1.podspec.types.pod_spec import PodTemplateSpec


class PodTemplate(ApiObject):
    """A pod template that is stored as an object of its own."""

    template: PodTemplateSpec = Field(
        default_factory=PodTemplateSpec, description="Labels and spec of the pods that are created from the template."
    )
