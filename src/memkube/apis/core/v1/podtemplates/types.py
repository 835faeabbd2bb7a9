"""PodTemplates: pods to be made."""

from pydantic import Field

from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apis.core.v1.podspec.types.pod_spec import PodTemplateSpec


class PodTemplate(ApiObject):
    """Keeps a template that controllers can make pods from."""

    template: PodTemplateSpec = Field(default_factory=PodTemplateSpec, description="What the pods are like.")
