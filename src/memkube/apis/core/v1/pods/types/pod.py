"""Containers that run together on a node."""

from pydantic import Field

from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apis.core.v1.pods.types.status import PodStatus
from memkube.apis.core.v1.podspec.types.pod_spec import PodSpec


class Pod(ApiObject):
    """Containers that share a node, an address and volumes."""

    spec: PodSpec = Field(default_factory=PodSpec, description="What is wanted of the pod.")
    status: PodStatus = Field(default_factory=PodStatus, description="What has become of the pod.")
