"""API types of PersistentVolumeClaims and their status."""

from typing import Annotated, ClassVar, Final

from pydantic import Field

from memkube.apimachinery.markers import Granular, MapList, Merge, Named, Required
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.meta.v1.condition import ProbedCondition
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Quantity
from memkube.apis.core.v1.podspec.types.volumes import PersistentVolumeClaimSpec

STORAGE_CLASS_ANNOTATION: Final = "volume.beta.kubernetes.io/storage-class"
"""Deprecated annotation with the name of a volume's or claim's storage class. It takes precedence over the spec."""
RESIZE_STATES: Final = (
    "ControllerResizeInProgress",
    "ControllerResizeInfeasible",
    "NodeResizeInProgress",
    "NodeResizeInfeasible",
    "NodeResizePending",
)
"""States of the resize of a claim's volume."""
_AccessMode = Annotated[
    str,
    Named("v1.PersistentVolumeAccessMode", ("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod")),
]
_Resources = Annotated[dict[str, Quantity], Named("v1.ResourceList")]


class PersistentVolumeClaimCondition(ProbedCondition):
    """A condition of a claim, such as Resizing or FileSystemResizePending."""

    go_struct: ClassVar[bool] = True

    type: Annotated[str, Named("v1.PersistentVolumeClaimConditionType"), Required()] = Field(
        default="", description="Type of the condition, such as Resizing."
    )


class ModifyVolumeStatus(ApiModel):
    """State of a change of a volume's attributes class."""

    targetVolumeAttributesClassName: str = Field(
        default="", description="Name of the VolumeAttributesClass to which the volume is being changed."
    )
    status: Annotated[
        str, Named("v1.PersistentVolumeClaimModifyVolumeStatus", ("InProgress", "Infeasible", "Pending")), Required()
    ] = Field(default="", description="Progress of the change: Pending, InProgress or Infeasible.")


class PersistentVolumeClaimStatus(ApiModel):
    """Phase, capacity and conditions of a PersistentVolumeClaim."""

    phase: Annotated[str, Named("v1.PersistentVolumeClaimPhase", ("Bound", "Lost", "Pending"))] = Field(
        default="", description="Phase of the claim: Pending, Bound, or Lost if its volume is gone."
    )
    accessModes: list[_AccessMode] = Field(
        default_factory=list, description="Access modes of the volume, such as ReadWriteOnce."
    )
    capacity: _Resources = Field(default_factory=dict, description="Size of the bound volume, under the key storage.")
    conditions: Annotated[list[PersistentVolumeClaimCondition], MapList(("type",)), Merge("type")] = Field(
        default_factory=list, description="Conditions of the claim, such as Resizing."
    )
    allocatedResources: _Resources = Field(
        default_factory=dict, description="Amount of storage allocated to the claim, including a resize in progress."
    )
    allocatedResourceStatuses: Annotated[
        dict[str, Annotated[str, Named("v1.ClaimResourceStatus", RESIZE_STATES)]],
        Named("map[v1.ResourceName]v1.ClaimResourceStatus"),
        Granular(),
    ] = Field(
        default_factory=dict,
        description="State of a resize that is in progress or failed, by resource, such as storage.",
    )
    currentVolumeAttributesClassName: str | None = Field(
        default=None, description="Name of the VolumeAttributesClass whose attributes the volume has now."
    )
    modifyVolumeStatus: ModifyVolumeStatus | None = Field(
        default=None, description="Progress of a requested change of the claim's VolumeAttributesClass."
    )


class PersistentVolumeClaim(ApiObject):
    """A request for storage in a namespace."""

    spec: PersistentVolumeClaimSpec = Field(
        default_factory=PersistentVolumeClaimSpec,
        description="Amount, access modes and storage class of the requested storage.",
    )
    status: PersistentVolumeClaimStatus = Field(
        default_factory=PersistentVolumeClaimStatus, description="Phase, capacity and conditions of the claim."
    )
