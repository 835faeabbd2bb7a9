"""How many pods there are to be, and how many there are, in the same words for every kind."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Required
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int32


class ScaleSpec(ApiModel):
    """What is wanted."""

    replicas: Int32 = Field(default=0, description="How many pods are wanted.")


class ScaleStatus(ApiModel):
    """What there is."""

    replicas: Annotated[Int32, Required()] = Field(default=0, description="How many pods there are.")
    selector: str = Field(default="", description="The pods, as a label selector in a query says it.")


class Scale(ApiObject):
    """How many pods an object of another kind wants and has."""

    spec: ScaleSpec = Field(default_factory=ScaleSpec, description="What is wanted.")
    status: ScaleStatus = Field(default_factory=ScaleStatus, description="What there is.")
