"""Claims for storage, which templates in workloads hold as well, and what came of them."""

from typing import Annotated, ClassVar, Final

from pydantic import Field

from memkube.apimachinery.markers import Granular, MapList, Merge, Named, Required
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.meta.v1.condition import ProbedCondition
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Quantity
from memkube.apis.core.v1.podspec.types.volumes import PersistentVolumeClaimSpec

STORAGE_CLASS_ANNOTATION: Final = "volume.beta.kubernetes.io/storage-class"
"""Tells the class of a volume or claim, as it was before specs did; it outdoes theirs."""
_AccessMode = Annotated[
    str,
    Named("v1.PersistentVolumeAccessMode", ("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod")),
]
_Resources = Annotated[dict[str, Quantity], Named("v1.ResourceList")]


class PersistentVolumeClaimCondition(ProbedCondition):
    """One aspect of the state."""

    go_struct: ClassVar[bool] = True

    type: Annotated[str, Named("v1.PersistentVolumeClaimConditionType"), Required()] = Field(
        default="", description="Which aspect."
    )


class ModifyVolumeStatus(ApiModel):
    """How far a change of the volume's attributes has come."""

    targetVolumeAttributesClassName: str = Field(default="", description="Class that the volume is to have.")
    status: Annotated[
        str, Named("v1.PersistentVolumeClaimModifyVolumeStatus", ("InProgress", "Infeasible", "Pending")), Required()
    ] = Field(default="", description="Pending, InProgress or Infeasible.")


class PersistentVolumeClaimStatus(ApiModel):
    """What came of the claim."""

    phase: Annotated[str, Named("v1.PersistentVolumeClaimPhase", ("Bound", "Lost", "Pending"))] = Field(
        default="", description="Pending, Bound or Lost."
    )
    accessModes: list[_AccessMode] = Field(default_factory=list, description="Ways in which the volume can be used.")
    capacity: _Resources = Field(default_factory=dict, description="How large the volume is.")
    conditions: Annotated[list[PersistentVolumeClaimCondition], MapList(("type",)), Merge("type")] = Field(
        default_factory=list, description="Aspects of the state."
    )
    allocatedResources: _Resources = Field(
        default_factory=dict, description="What is set aside, while the volume is resized."
    )
    allocatedResourceStatuses: Annotated[dict[str, Annotated[str, Named("v1.ClaimResourceStatus")]], Granular()] = (
        Field(default_factory=dict, description="How far each resource's resizing has come.")
    )
    currentVolumeAttributesClassName: str | None = Field(
        default=None, description="Class whose attributes the volume has."
    )
    modifyVolumeStatus: ModifyVolumeStatus | None = Field(
        default=None, description="How far a change of attributes has come."
    )


class PersistentVolumeClaim(ApiObject):
    """A claim for storage."""

    spec: PersistentVolumeClaimSpec = Field(
        default_factory=PersistentVolumeClaimSpec, description="What storage is asked for."
    )
    status: PersistentVolumeClaimStatus = Field(
        default_factory=PersistentVolumeClaimStatus, description="What came of the claim."
    )
