"""HorizontalPodAutoscalers in their first version."""

from typing import Annotated, ClassVar

from pydantic import Field

from memkube.apimachinery.markers import Required
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int32, Int64, Time


class CrossVersionObjectReference(ApiModel):
    """Names an object, whatever its version."""

    struct_type: ClassVar[str] = "atomic"

    kind: Annotated[str, Required()] = Field(default="", description="Kind of the object.")
    name: Annotated[str, Required()] = Field(default="", description="Name of the object.")
    apiVersion: str = Field(default="", description="Group and version of the object.")


class HorizontalPodAutoscalerSpec(ApiModel):
    """What is wanted."""

    scaleTargetRef: Annotated[CrossVersionObjectReference, Required()] = Field(
        default_factory=CrossVersionObjectReference, description="The object that is scaled."
    )
    minReplicas: Int32 | None = Field(
        default=None, description="How many pods there are at least; one where nothing is said."
    )
    maxReplicas: Annotated[Int32, Required()] = Field(default=0, description="How many pods there are at most.")
    targetCPUUtilizationPercentage: Int32 | None = Field(
        default=None, description="Percentage of the requested cpu that is aimed at, on average."
    )


class HorizontalPodAutoscalerStatus(ApiModel):
    """What there is."""

    observedGeneration: Int64 | None = Field(default=None, description="The generation that the status is about.")
    lastScaleTime: Time | None = Field(default=None, description="When the number of pods was changed last.")
    currentReplicas: Annotated[Int32, Required()] = Field(default=0, description="How many pods there are.")
    desiredReplicas: Annotated[Int32, Required()] = Field(default=0, description="How many pods the metrics call for.")
    currentCPUUtilizationPercentage: Int32 | None = Field(
        default=None, description="Percentage of the requested cpu that is used, on average."
    )


class HorizontalPodAutoscaler(ApiObject):
    """Scales a workload by the cpu that it uses."""

    spec: Annotated[HorizontalPodAutoscalerSpec, Required()] = Field(
        default_factory=HorizontalPodAutoscalerSpec, description="What is wanted."
    )
    status: HorizontalPodAutoscalerStatus = Field(
        default_factory=HorizontalPodAutoscalerStatus, description="What there is."
    )
