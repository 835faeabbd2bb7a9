from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Named, Required
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Quantity, Time


class ContainerMetrics(ApiModel):
    """CPU and memory use of a container."""

    name: Annotated[str, Required()] = Field(
        default="", description="Name of the measured container in the pod's spec."
    )
    usage: Annotated[dict[str, Quantity], Named("v1.ResourceList"), Required()] = Field(
        default_factory=dict, description="Amounts of CPU and memory that the container uses."
    )


class PodMetrics(ApiObject):
    """CPU and memory use of the containers of a pod."""

    timestamp: Annotated[Time | None, Required()] = Field(
        default=None, description="End of the interval in which the use was measured."
    )
    window: Annotated[str, Named("metav1.Duration"), Required()] = Field(
        default="", description="Length of the interval in which the use was measured, such as 15s."
    )
    containers: Annotated[list[ContainerMetrics], Required()] = Field(
        default_factory=list, description="CPU and memory use of each container."
    )
