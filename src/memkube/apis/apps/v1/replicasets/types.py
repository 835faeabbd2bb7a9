"""How many pods of a template there are to be, and how many there are."""

from typing import Annotated, ClassVar

from pydantic import Field

from memkube.apimachinery.markers import MapList, Merge, Named, Required
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.meta.v1.condition import OlderCondition
from memkube.apimachinery.meta.v1.selectors import LabelSelector
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int32, Int64
from memkube.apis.core.v1.podspec.types.pod_spec import PodTemplateSpec


class ReplicaSetSpec(ApiModel):
    """What is wanted."""

    replicas: Int32 | None = Field(default=None, description="How many pods are wanted; one where nothing is said.")
    minReadySeconds: Int32 = Field(default=0, description="Seconds that a pod must be ready for to count as available.")
    selector: Annotated[LabelSelector | None, Required()] = Field(
        default=None, description="Which pods count; the template's labels must be among them."
    )
    template: PodTemplateSpec = Field(default_factory=PodTemplateSpec, description="What new pods are like.")


class ReplicaSetCondition(OlderCondition):
    """One aspect of the state."""

    go_struct: ClassVar[bool] = True

    type: Annotated[str, Named("v1.ReplicaSetConditionType"), Required()] = Field(
        default="", description="Which aspect."
    )


class ReplicaSetStatus(ApiModel):
    """What there is."""

    replicas: Annotated[Int32, Required()] = Field(default=0, description="How many pods there are.")
    fullyLabeledReplicas: Int32 = Field(default=0, description="How many of them have all labels of the template.")
    readyReplicas: Int32 = Field(default=0, description="How many of them are ready.")
    availableReplicas: Int32 = Field(default=0, description="How many of them are available.")
    terminatingReplicas: Int32 | None = Field(default=None, description="How many pods are on their way out.")
    observedGeneration: Int64 = Field(default=0, description="The generation that the status is about.")
    conditions: Annotated[list[ReplicaSetCondition], MapList(("type",)), Merge("type")] = Field(
        default_factory=list, description="Aspects of the state."
    )


class ReplicaSet(ApiObject):
    """Keeps a number of pods of one template."""

    spec: ReplicaSetSpec = Field(default_factory=ReplicaSetSpec, description="What is wanted.")
    status: ReplicaSetStatus = Field(default_factory=ReplicaSetStatus, description="What there is.")
