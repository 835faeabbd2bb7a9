from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Default, Required
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int32


class ScaleSpec(ApiModel):
    """Desired number of replicas."""

    replicas: Annotated[Int32, Default(0)] = Field(
        default=0, description="Number of pods that the scaled object should have."
    )


class ScaleStatus(ApiModel):
    """Observed number of replicas, and label selector of the pods."""

    replicas: Annotated[Int32, Required()] = Field(
        default=0, description="Number of pods that the scaled object has now."
    )
    selector: str = Field(default="", description="Label selector of the object's pods as text, such as app=web.")


class Scale(ApiObject):
    """Desired and observed number of replicas of an object of another kind."""

    spec: ScaleSpec = Field(
        default_factory=ScaleSpec, description="Number of replicas that the scaled object should have."
    )
    status: ScaleStatus = Field(
        default_factory=ScaleStatus,
        description="Number of replicas that the scaled object has, and the selector of its pods.",
    )
