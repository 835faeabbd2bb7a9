"""."""

from typing import Annotated, ClassVar

from pydantic import Field

from memkube.apimachinery.markers import MapList, Merge, Named, Required, SetList
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int64, Raw, Time


class ManagedFieldsEntry(ApiModel):
    """."""

    manager: str = Field(default="", description="")
    operation: Annotated[str, Named("v1.ManagedFieldsOperationType")] = Field(default="", description="")
    apiVersion: str = Field(default="", description="")
    time: Time | None | None = Field(default=None, description="")
    fieldsType: str = Field(default="", description="")
    fieldsV1: Raw | None | None = Field(default=None, description="")
    subresource: str = Field(default="", description="")


class OwnerReference(ApiModel):
    """."""

    struct_type: ClassVar[str] = "atomic"

    apiVersion: Annotated[str, Required()] = Field(default="", description="")
    kind: Annotated[str, Required()] = Field(default="", description="")
    name: Annotated[str, Required()] = Field(default="", description="")
    uid: Annotated[str, Named("types.UID"), Required()] = Field(default="", description="")
    controller: bool | None = Field(default=None, description="")
    blockOwnerDeletion: bool | None = Field(default=None, description="")


class ObjectMeta(ApiModel):
    """."""

    name: str = Field(default="", description="")
    generateName: str = Field(default="", description="")
    namespace: str = Field(default="", description="")
    selfLink: str = Field(default="", description="")
    uid: Annotated[str, Named("types.UID")] = Field(default="", description="")
    resourceVersion: str = Field(default="", description="")
    generation: Int64 = Field(default=0, description="")
    creationTimestamp: Time | None = Field(default=None, description="")
    deletionTimestamp: Time | None | None = Field(default=None, description="")
    deletionGracePeriodSeconds: Int64 | None = Field(default=None, description="")
    labels: dict[str, str] = Field(default_factory=dict, description="")
    annotations: dict[str, str] = Field(default_factory=dict, description="")
    ownerReferences: Annotated[list[OwnerReference], MapList(("uid",)), Merge("uid")] = Field(default_factory=list, description="")
    finalizers: Annotated[list[str], SetList(), Merge()] = Field(default_factory=list, description="")
    managedFields: list[ManagedFieldsEntry] = Field(default_factory=list, description="")
