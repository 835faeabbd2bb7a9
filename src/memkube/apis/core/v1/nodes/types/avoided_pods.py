"""Which pods a node would rather not run, as an annotation of the node tells it."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Always, Required
from memkube.apimachinery.meta.v1.api_object import OwnerReference
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Time


class PodSignature(ApiModel):
    """Which pods are meant."""

    podController: OwnerReference | None = Field(default=None, description="Controller of the pods.")


class PreferAvoidPodsEntry(ApiModel):
    """Pods that should run elsewhere."""

    podSignature: Annotated[PodSignature, Required()] = Field(
        default_factory=PodSignature, description="Which pods are meant."
    )
    evictionTime: Annotated[Time | None, Always()] = Field(default=None, description="When the entry was added.")
    reason: str = Field(default="", description="Why the entry was added, in one word.")
    message: str = Field(default="", description="Why the entry was added, for people.")


class AvoidPods(ApiModel):
    """Pods that should run elsewhere."""

    preferAvoidPods: list[PreferAvoidPodsEntry] = Field(
        default_factory=list, description="Which pods are meant, the oldest entry first."
    )
