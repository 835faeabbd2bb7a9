"""Pods with names that stay, in an order, each with storage of its own."""

from typing import Annotated, ClassVar

from pydantic import Field

from memkube.apimachinery.markers import Always, Atomic, MapList, Merge, Named, Required
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.meta.v1.condition import OlderCondition
from memkube.apimachinery.meta.v1.selectors import LabelSelector
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int32, Int64, IntOrString
from memkube.apis.core.v1.podspec.types.persistent_volume_claims import PersistentVolumeClaim
from memkube.apis.core.v1.podspec.types.pod_spec import PodTemplateSpec

_RETENTION = Named("v1.PersistentVolumeClaimRetentionPolicyType")


class RollingUpdateStatefulSetStrategy(ApiModel):
    """Which pods are updated, and how many at a time."""

    partition: Int32 | None = Field(default=None, description="Ordinal below which pods are left as they are.")
    maxUnavailable: IntOrString | None = Field(
        default=None, description="Number or percentage of pods that may be missing during an update."
    )


class StatefulSetUpdateStrategy(ApiModel):
    """How pods of a changed template replace the others."""

    type: Annotated[str, Named("v1.StatefulSetUpdateStrategyType", ("OnDelete", "RollingUpdate"))] = Field(
        default="", description="RollingUpdate replaces pods; OnDelete waits for somebody to delete them."
    )
    rollingUpdate: RollingUpdateStatefulSetStrategy | None = Field(
        default=None, description="The steps of a RollingUpdate."
    )


class StatefulSetPersistentVolumeClaimRetentionPolicy(ApiModel):
    """What becomes of claims that are not needed any more."""

    whenDeleted: Annotated[str, _RETENTION] = Field(
        default="", description="Delete or Retain, for when the set is deleted."
    )
    whenScaled: Annotated[str, _RETENTION] = Field(
        default="", description="Delete or Retain, for when the set gets smaller."
    )


class StatefulSetOrdinals(ApiModel):
    """How pods are numbered."""

    start: Annotated[Int32, Always()] = Field(default=0, description="The first number.")


class StatefulSetSpec(ApiModel):
    """What is wanted."""

    replicas: Int32 | None = Field(default=None, description="How many pods are wanted; one where nothing is said.")
    selector: Annotated[LabelSelector | None, Required()] = Field(
        default=None, description="Which pods count; it never changes."
    )
    template: Annotated[PodTemplateSpec, Required()] = Field(
        default_factory=PodTemplateSpec, description="What the pods are like."
    )
    volumeClaimTemplates: Annotated[list[PersistentVolumeClaim], Atomic()] = Field(
        default_factory=list, description="Claims that each pod gets one of."
    )
    serviceName: Annotated[str, Always()] = Field(
        default="", description="Service under which the pods have names in DNS."
    )
    podManagementPolicy: Annotated[str, Named("v1.PodManagementPolicyType", ("OrderedReady", "Parallel"))] = Field(
        default="", description="OrderedReady makes one pod after the other; Parallel all at once."
    )
    updateStrategy: StatefulSetUpdateStrategy = Field(
        default_factory=StatefulSetUpdateStrategy, description="How pods of a changed template replace the others."
    )
    revisionHistoryLimit: Int32 | None = Field(
        default=None, description="How many old revisions stay, to go back to; ten where nothing is said."
    )
    minReadySeconds: Int32 = Field(default=0, description="Seconds that a pod must be ready for to count as available.")
    persistentVolumeClaimRetentionPolicy: StatefulSetPersistentVolumeClaimRetentionPolicy | None = Field(
        default=None, description="What becomes of claims that are not needed any more."
    )
    ordinals: StatefulSetOrdinals | None = Field(default=None, description="How pods are numbered.")


class StatefulSetCondition(OlderCondition):
    """One aspect of the state."""

    go_struct: ClassVar[bool] = True

    type: Annotated[str, Named("v1.StatefulSetConditionType"), Required()] = Field(
        default="", description="Which aspect."
    )


class StatefulSetStatus(ApiModel):
    """What there is."""

    observedGeneration: Int64 = Field(default=0, description="The generation that the status is about.")
    replicas: Annotated[Int32, Required()] = Field(default=0, description="How many pods there are.")
    readyReplicas: Int32 = Field(default=0, description="How many of them are ready.")
    currentReplicas: Int32 = Field(default=0, description="How many of them are of the current revision.")
    updatedReplicas: Int32 = Field(default=0, description="How many of them are of the new revision.")
    currentRevision: str = Field(default="", description="The revision that pods come from.")
    updateRevision: str = Field(default="", description="The revision that pods go to.")
    collisionCount: Int32 | None = Field(
        default=None, description="How often a name for a revision was taken; it goes into the next name."
    )
    conditions: Annotated[list[StatefulSetCondition], MapList(("type",)), Merge("type")] = Field(
        default_factory=list, description="Aspects of the state."
    )
    availableReplicas: Annotated[Int32, Always()] = Field(default=0, description="How many of them are available.")


class StatefulSet(ApiObject):
    """Keeps pods with names that stay, each with storage of its own."""

    spec: StatefulSetSpec = Field(default_factory=StatefulSetSpec, description="What is wanted.")
    status: StatefulSetStatus = Field(default_factory=StatefulSetStatus, description="What there is.")
