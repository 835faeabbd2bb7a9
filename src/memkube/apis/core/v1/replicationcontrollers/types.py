"""How many pods of a template there are to be, and how many there are."""

from typing import Annotated, ClassVar

from pydantic import Field

from memkube.apimachinery.markers import Atomic, Default, MapList, Merge, Named, Required
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.meta.v1.condition import OlderCondition
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int32, Int64
from memkube.apis.core.v1.podspec.types.pod_spec import PodTemplateSpec


class ReplicationControllerSpec(ApiModel):
    """What is wanted."""

    replicas: Annotated[Int32 | None, Default(1)] = Field(default=None, description="How many pods are wanted.")
    minReadySeconds: Int32 = Field(default=0, description="Seconds that a pod must be ready for to count as available.")
    selector: Annotated[dict[str, str], Atomic()] = Field(
        default_factory=dict, description="Labels that the pods have; those of the template where empty."
    )
    template: PodTemplateSpec | None = Field(default=None, description="What new pods are like.")


class ReplicationControllerCondition(OlderCondition):
    """One aspect of the state."""

    go_struct: ClassVar[bool] = True

    type: Annotated[str, Named("v1.ReplicationControllerConditionType"), Required()] = Field(
        default="", description="Which aspect."
    )


class ReplicationControllerStatus(ApiModel):
    """What there is."""

    replicas: Annotated[Int32, Required()] = Field(default=0, description="How many pods there are.")
    fullyLabeledReplicas: Int32 = Field(default=0, description="How many of them have all labels of the template.")
    readyReplicas: Int32 = Field(default=0, description="How many of them are ready.")
    availableReplicas: Int32 = Field(default=0, description="How many of them are available.")
    observedGeneration: Int64 = Field(default=0, description="The generation that the status is about.")
    conditions: Annotated[list[ReplicationControllerCondition], MapList(("type",)), Merge("type")] = Field(
        default_factory=list, description="Aspects of the state."
    )


class ReplicationController(ApiObject):
    """Keeps a number of pods of one template."""

    spec: ReplicationControllerSpec = Field(default_factory=ReplicationControllerSpec, description="What is wanted.")
    status: ReplicationControllerStatus = Field(
        default_factory=ReplicationControllerStatus, description="What there is."
    )
