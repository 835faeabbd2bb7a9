"""."""

from pydantic import Field

from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.meta.v1.object_meta import ObjectMeta
from memkube.apis.core.v1.pods.types.status import PodStatus
from memkube.apis.core.v1.podspec.types.pod_spec import PodSpec


class Pod(ApiObject):
    """."""

    spec: PodSpec = Field(default_factory=PodSpec, description="")
    status: PodStatus = Field(default_factory=PodStatus, description="")
