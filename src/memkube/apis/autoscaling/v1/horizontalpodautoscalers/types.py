from typing import Annotated, ClassVar

from pydantic import Field

from memkube.apimachinery.markers import Required
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int32, Int64, Time


class CrossVersionObjectReference(ApiModel):
    """A reference to a scalable object by kind, name and API version."""

    struct_type: ClassVar[str] = "atomic"

    kind: Annotated[str, Required()] = Field(
        default="", description="Kind of the referenced object, such as Deployment."
    )
    name: Annotated[str, Required()] = Field(
        default="", description="Name of the referenced object, in the namespace of the autoscaler."
    )
    apiVersion: str = Field(default="", description="Group and version of the referenced object, such as apps/v1.")


class HorizontalPodAutoscalerSpec(ApiModel):
    """Scaled workload, limits of its replicas and target CPU utilization."""

    scaleTargetRef: Annotated[CrossVersionObjectReference, Required()] = Field(
        default_factory=CrossVersionObjectReference,
        description="Workload to scale, such as a Deployment; must have a scale subresource.",
    )
    minReplicas: Int32 | None = Field(default=None, description="Minimum number of pods; 1 by default.")
    maxReplicas: Annotated[Int32, Required()] = Field(
        default=0, description="Upper limit of the number of pods; at least minReplicas."
    )
    targetCPUUtilizationPercentage: Int32 | None = Field(
        default=None, description="Target average CPU utilization, in percent of the requests."
    )


class HorizontalPodAutoscalerStatus(ApiModel):
    """Observed state of a HorizontalPodAutoscaler: replica counts and CPU utilization."""

    observedGeneration: Int64 | None = Field(
        default=None, description="Generation of the object that the controller observed when it wrote the status."
    )
    lastScaleTime: Time | None = Field(default=None, description="Time when the number of pods was last changed.")
    currentReplicas: Annotated[Int32, Required()] = Field(
        default=0, description="Number of pods that the scaled workload had at the last check."
    )
    desiredReplicas: Annotated[Int32, Required()] = Field(
        default=0, description="Number of pods that the controller last computed from the metrics."
    )
    currentCPUUtilizationPercentage: Int32 | None = Field(
        default=None, description="Observed average CPU utilization, in percent of the requests."
    )


class HorizontalPodAutoscaler(ApiObject):
    """Changes the number of replicas of a workload so that its average CPU utilization stays near a target."""

    spec: Annotated[HorizontalPodAutoscalerSpec, Required()] = Field(
        default_factory=HorizontalPodAutoscalerSpec,
        description="Workload to scale, limits of its replicas and target CPU utilization.",
    )
    status: HorizontalPodAutoscalerStatus = Field(
        default_factory=HorizontalPodAutoscalerStatus,
        description="Replica counts and CPU utilization, written by the controller.",
    )
