"""HorizontalPodAutoscalers in their first version."""

from typing import Annotated, ClassVar

from pydantic import Field

from memkube.apimachinery.markers import Required
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int32, Int64, Time


class CrossVersionObjectReference(ApiModel):
    """TODO."""

    struct_type: ClassVar[str] = "atomic"

    kind: Annotated[str, Required()] = Field(default="", description="TODO")
    name: Annotated[str, Required()] = Field(default="", description="TODO")
    apiVersion: str = Field(default="", description="TODO")


class HorizontalPodAutoscalerSpec(ApiModel):
    """TODO."""

    scaleTargetRef: Annotated[CrossVersionObjectReference, Required()] = Field(
        default_factory=CrossVersionObjectReference, description="TODO"
    )
    minReplicas: Int32 | None = Field(default=None, description="TODO")
    maxReplicas: Annotated[Int32, Required()] = Field(default=0, description="TODO")
    targetCPUUtilizationPercentage: Int32 | None = Field(default=None, description="TODO")


class HorizontalPodAutoscalerStatus(ApiModel):
    """TODO."""

    observedGeneration: Int64 | None = Field(default=None, description="TODO")
    lastScaleTime: Time | None = Field(default=None, description="TODO")
    currentReplicas: Annotated[Int32, Required()] = Field(default=0, description="TODO")
    desiredReplicas: Annotated[Int32, Required()] = Field(default=0, description="TODO")
    currentCPUUtilizationPercentage: Int32 | None = Field(default=None, description="TODO")


class HorizontalPodAutoscaler(ApiObject):
    """TODO."""

    spec: Annotated[HorizontalPodAutoscalerSpec, Required()] = Field(
        default_factory=HorizontalPodAutoscalerSpec, description="TODO"
    )
    status: HorizontalPodAutoscalerStatus = Field(default_factory=HorizontalPodAutoscalerStatus, description="TODO")
