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
    """First ordinal that a rolling update replaces (the partition), and maximum number of unavailable pods."""

    partition: Int32 | None = Field(default=None, description="Ordinal below which pods are not updated.")
    maxUnavailable: IntOrString | None = Field(
        default=None, description="Maximum number or percentage of unavailable pods during an update."
    )


class StatefulSetUpdateStrategy(ApiModel):
    """Strategy for replacing old pods when the pod template changes: RollingUpdate or OnDelete."""

    type: Annotated[str, Named("v1.StatefulSetUpdateStrategyType", ("OnDelete", "RollingUpdate"))] = Field(
        default="",
        description="RollingUpdate replaces pods automatically; OnDelete waits until a client deletes a pod.",
    )
    rollingUpdate: RollingUpdateStatefulSetStrategy | None = Field(
        default=None, description="Partition and maximum number of unavailable pods, for type RollingUpdate."
    )


class StatefulSetPersistentVolumeClaimRetentionPolicy(ApiModel):
    """Retention of the pods' PersistentVolumeClaims when the StatefulSet is deleted or scaled down."""

    whenDeleted: Annotated[str, _RETENTION] = Field(
        default="", description="Delete or Retain the claims of all pods when the StatefulSet is deleted."
    )
    whenScaled: Annotated[str, _RETENTION] = Field(
        default="", description="Delete or Retain the claims of removed pods when the StatefulSet is scaled down."
    )


class StatefulSetOrdinals(ApiModel):
    """Ordinal in the name of the first pod; the pods are numbered from there."""

    start: Annotated[Int32, Always()] = Field(
        default=0, description="Ordinal number in the name of the first pod; 0 by default."
    )


class StatefulSetSpec(ApiModel):
    """Desired state of a StatefulSet: replicas, selector, pod template, claim templates and update strategy."""

    replicas: Int32 | None = Field(default=None, description="Desired number of pods; 1 by default.")
    selector: Annotated[LabelSelector | None, Required()] = Field(
        default=None,
        description="Labels of the pods that the StatefulSet controls; must match the template; immutable.",
    )
    template: Annotated[PodTemplateSpec, Required()] = Field(
        default_factory=PodTemplateSpec,
        description="Labels and spec of the pods, which are named after the StatefulSet and an ordinal.",
    )
    volumeClaimTemplates: Annotated[list[PersistentVolumeClaim], Atomic()] = Field(
        default_factory=list, description="Templates of the PersistentVolumeClaims that are created for each pod."
    )
    serviceName: Annotated[str, Always()] = Field(
        default="",
        description="Name of a headless service in the same namespace, under which the pods have DNS names.",
    )
    podManagementPolicy: Annotated[str, Named("v1.PodManagementPolicyType", ("OrderedReady", "Parallel"))] = Field(
        default="", description="OrderedReady starts pods one after another; Parallel starts them all at once."
    )
    updateStrategy: StatefulSetUpdateStrategy = Field(
        default_factory=StatefulSetUpdateStrategy,
        description="Strategy for replacing old pods when the template changes.",
    )
    revisionHistoryLimit: Int32 | None = Field(
        default=None, description="Number of old revisions to keep for rollbacks; 10 by default."
    )
    minReadySeconds: Int32 = Field(
        default=0, description="Seconds for which a pod must be ready before it counts as available."
    )
    persistentVolumeClaimRetentionPolicy: StatefulSetPersistentVolumeClaimRetentionPolicy | None = Field(
        default=None, description="Whether the pods' claims are kept when the StatefulSet is deleted or scaled down."
    )
    ordinals: StatefulSetOrdinals | None = Field(
        default=None, description="First number in the names of the pods, from which they are counted; 0 if unset."
    )


class StatefulSetCondition(OlderCondition):
    """A condition of a StatefulSet. Kubernetes' own controller sets none."""

    go_struct: ClassVar[bool] = True

    type: Annotated[str, Named("v1.StatefulSetConditionType"), Required()] = Field(
        default="", description="Type of the condition in CamelCase, unique among the StatefulSet's conditions."
    )


class StatefulSetStatus(ApiModel):
    """Observed state of a StatefulSet: replica counts, revisions and conditions."""

    observedGeneration: Int64 = Field(
        default=0, description="Generation of the object that the controller observed when it wrote the status."
    )
    replicas: Annotated[Int32, Required()] = Field(
        default=0, description="Number of pods that the controller has created and that still exist."
    )
    readyReplicas: Int32 = Field(default=0, description="Number of running pods whose condition Ready is True.")
    currentReplicas: Int32 = Field(default=0, description="Number of pods of the revision that currentRevision names.")
    updatedReplicas: Int32 = Field(default=0, description="Number of pods of the revision that updateRevision names.")
    currentRevision: str = Field(
        default="", description="Name of the ControllerRevision of the pods that are not updated yet."
    )
    updateRevision: str = Field(default="", description="Name of the ControllerRevision to which pods are updated.")
    collisionCount: Int32 | None = Field(
        default=None,
        description="Number of hash collisions of revision names so far; an input of the hash in the next name.",
    )
    conditions: Annotated[list[StatefulSetCondition], MapList(("type",)), Merge("type")] = Field(
        default_factory=list, description="Conditions of the StatefulSet; Kubernetes' own controller sets none."
    )
    availableReplicas: Annotated[Int32, Always()] = Field(
        default=0, description="Number of pods that have been ready for minReadySeconds."
    )


class StatefulSet(ApiObject):
    """Runs pods with stable names, each with its own storage."""

    spec: StatefulSetSpec = Field(
        default_factory=StatefulSetSpec, description="Replicas, selector, pod and claim templates, and update strategy."
    )
    status: StatefulSetStatus = Field(
        default_factory=StatefulSetStatus,
        description="Replica counts, revisions and conditions, written by the controller.",
    )
