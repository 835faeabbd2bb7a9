"""RuntimeClasses: what containers are run by."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Atomic, Named, Required
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Quantity
from memkube.apis.core.v1.podspec.types.scheduling import Toleration


class Overhead(ApiModel):
    """TODO."""

    podFixed: Annotated[dict[str, Quantity], Named("v1.ResourceList")] = Field(default_factory=dict, description="TODO")


class Scheduling(ApiModel):
    """TODO."""

    nodeSelector: Annotated[dict[str, str], Atomic()] = Field(default_factory=dict, description="TODO")
    tolerations: list[Toleration] = Field(default_factory=list, description="TODO")


class RuntimeClass(ApiObject):
    """TODO."""

    handler: Annotated[str, Required()] = Field(default="", description="TODO")
    overhead: Overhead | None = Field(default=None, description="TODO")
    scheduling: Scheduling | None = Field(default=None, description="TODO")
