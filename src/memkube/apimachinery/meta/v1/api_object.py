"""What every object and every list of the API begins with."""

from typing import Annotated, ClassVar

from pydantic import Field

from memkube.apimachinery.markers import MapList, Merge, Named, Required, SetList
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int64, Raw, Time


class ManagedFieldsEntry(ApiModel):
    """The fields that one manager set in one way."""

    manager: str = Field(default="", description="Name of the program or workflow.")
    operation: Annotated[str, Named("v1.ManagedFieldsOperationType")] = Field(
        default="", description="Apply or Update."
    )
    apiVersion: str = Field(default="", description="Version in which the fields are named.")
    time: Time | None = Field(default=None, description="When the manager changed its fields last.")
    fieldsType: str = Field(default="", description="Format of the fields; FieldsV1 is the only one.")
    fieldsV1: Annotated[Raw | None, Named("v1.FieldsV1")] = Field(
        default=None, description="Fields as a tree of their names."
    )
    subresource: str = Field(default="", description="Subresource through which the fields were set, if any.")


class OwnerReference(ApiModel):
    """An object whose deletion entails the deletion of this one."""

    struct_type: ClassVar[str] = "atomic"

    apiVersion: Annotated[str, Required()] = Field(default="", description="Group and version of the owner.")
    kind: Annotated[str, Required()] = Field(default="", description="Kind of the owner.")
    name: Annotated[str, Required()] = Field(default="", description="Name of the owner.")
    uid: Annotated[str, Named("types.UID"), Required()] = Field(default="", description="UID of the owner.")
    controller: bool | None = Field(default=None, description="Whether the owner is the one that manages this object.")
    blockOwnerDeletion: bool | None = Field(
        default=None, description="Whether a foreground deletion of the owner waits for this object."
    )


class ObjectMeta(ApiModel):
    """What every stored object says about itself."""

    name: str = Field(default="", description="Name, unique in the namespace for its kind; it never changes.")
    generateName: str = Field(
        default="", description="Beginning of a name that the server completes if there is no name."
    )
    namespace: str = Field(
        default="", description="Namespace that the object lives in; empty for objects of the whole cluster."
    )
    selfLink: str = Field(default="", description="Deprecated; no longer set.")
    uid: Annotated[str, Named("types.UID")] = Field(
        default="", description="Identity in time and space, assigned by the server."
    )
    resourceVersion: str = Field(
        default="", description="Changes with every write; to be passed back unchanged for optimistic locking."
    )
    generation: Int64 = Field(default=0, description="Counts changes of the desired state.")
    creationTimestamp: Time | None = Field(default=None, description="When the server created the object.")
    deletionTimestamp: Time | None = Field(
        default=None, description="When the object will be gone; set by the server on deletion."
    )
    deletionGracePeriodSeconds: Int64 | None = Field(
        default=None, description="Seconds that the object was given to end by itself."
    )
    labels: dict[str, str] = Field(default_factory=dict, description="Keys and values to select the object by.")
    annotations: dict[str, str] = Field(
        default_factory=dict, description="Keys and values of any meaning that nothing selects by."
    )
    ownerReferences: Annotated[list[OwnerReference], MapList(("uid",)), Merge("uid")] = Field(
        default_factory=list, description="Objects that this one depends on; it goes when all of them are gone."
    )
    finalizers: Annotated[list[str], SetList(), Merge()] = Field(
        default_factory=list, description="Names of those who must act before the object may go."
    )
    managedFields: list[ManagedFieldsEntry] | None = Field(default=None, description="Which manager set which fields.")
    """None unless the writer said something: an empty list asks to stop tracking."""


class ShardInfo(ApiModel):
    """The part of a sharded list that an answer covers."""

    selector: Annotated[str, Required()] = Field(default="", description="Selector of the shard.")


class ListMeta(ApiModel):
    """Where a list stands in the history of its resource."""

    selfLink: str = Field(default="", description="Deprecated; no longer set.")
    resourceVersion: str = Field(default="", description="Version of the resource at which the list was taken.")
    continue_: str = Field(
        default="", alias="continue", description="Token with which to ask for the items that follow; empty at the end."
    )
    remainingItemCount: Int64 | None = Field(default=None, description="How many items follow, where that is known.")
    shardInfo: ShardInfo | None = Field(default=None, description="What of a sharded list this is.")


class TypeMeta(ApiModel):
    """The kind of an object and the version that it is written in."""

    kind: str = Field(default="", description="Kind of the object, in CamelCase.")
    apiVersion: str = Field(default="", description="Group and version that the object is written in.")


class ApiObject(TypeMeta):
    """An object that the server keeps: a type, metadata, and what its kind adds."""

    go_struct: ClassVar[bool] = False

    metadata: ObjectMeta = Field(default_factory=ObjectMeta, description="Name, labels and other standard metadata.")
