"""The base class of API objects, and the metadata that all objects and lists have."""

from typing import Annotated, ClassVar

from pydantic import Field

from memkube.apimachinery.markers import MapList, Merge, Named, Required, SetList
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int64, Raw, Time


class ManagedFieldsEntry(ApiModel):
    """The fields of an object that one field manager owns."""

    manager: str = Field(default="", description="Name of the client program that set the fields.")
    operation: Annotated[str, Named("v1.ManagedFieldsOperationType")] = Field(
        default="", description="Apply for server-side apply, Update for other writes."
    )
    apiVersion: str = Field(default="", description="API version in which the manager set the fields.")
    time: Time | None = Field(default=None, description="Time of the manager's last change.")
    fieldsType: str = Field(default="", description="Format of fieldsV1, always FieldsV1.")
    fieldsV1: Annotated[Raw | None, Named("v1.FieldsV1")] = Field(
        default=None, description="Fields that the manager owns, as a tree of field names."
    )
    subresource: str = Field(default="", description="Subresource through which the fields were set, if any.")


class OwnerReference(ApiModel):
    """Owner of this object; the garbage collector deletes the object after all its owners are deleted."""

    struct_type: ClassVar[str] = "atomic"

    apiVersion: Annotated[str, Required()] = Field(
        default="", description="API group and version of the owner, such as apps/v1."
    )
    kind: Annotated[str, Required()] = Field(default="", description="Kind of the owner, such as ReplicaSet.")
    name: Annotated[str, Required()] = Field(
        default="", description="Name of the owner, which is cluster-scoped or in the namespace of this object."
    )
    uid: Annotated[str, Named("types.UID"), Required()] = Field(
        default="", description="UID of the owner; a later object with the same name is not the owner."
    )
    controller: bool | None = Field(
        default=None, description="True if the owner is the managing controller of this object."
    )
    blockOwnerDeletion: bool | None = Field(
        default=None, description="True if a foreground deletion of the owner waits until this object is deleted."
    )


class ObjectMeta(ApiModel):
    """Metadata of an API object, such as its name, labels, owners and managedFields."""

    name: str = Field(default="", description="Name, unique within the kind and namespace; immutable.")
    generateName: str = Field(
        default="", description="Prefix of the name that the server generates if the client sends no name."
    )
    namespace: str = Field(default="", description="Namespace of the object; empty for cluster-scoped objects.")
    selfLink: str = Field(
        default="", description="Deprecated: was the URL path of the object; the server no longer sets it."
    )
    uid: Annotated[str, Named("types.UID")] = Field(
        default="", description="Unique identifier of the object, assigned by the server."
    )
    resourceVersion: str = Field(
        default="",
        description="Version of the object, changed by every write; send it back unchanged for optimistic locking.",
    )
    generation: Int64 = Field(
        default=0, description="Sequence number of the desired state, increased with each change."
    )
    creationTimestamp: Time | None = Field(default=None, description="Time at which the server created the object.")
    deletionTimestamp: Time | None = Field(
        default=None, description="Time after which the object can be removed; set by the server on deletion."
    )
    deletionGracePeriodSeconds: Int64 | None = Field(
        default=None, description="Seconds for graceful termination; set by the server on deletion."
    )
    labels: dict[str, str] = Field(
        default_factory=dict, description="Keys and values by which the object can be selected."
    )
    annotations: dict[str, str] = Field(
        default_factory=dict, description="Arbitrary keys and values, which are not used for selection."
    )
    ownerReferences: Annotated[list[OwnerReference], MapList(("uid",)), Merge("uid")] = Field(
        default_factory=list, description="Owners of this object, which is deleted after all of them are deleted."
    )
    finalizers: Annotated[list[str], SetList(), Merge()] = Field(
        default_factory=list, description="Identifiers of cleanup steps that must finish before the object is removed."
    )
    managedFields: list[ManagedFieldsEntry] | None = Field(
        default=None, description="For each field manager, the fields that it owns, for conflicts in server-side apply."
    )
    """None if the body has no managedFields. An empty list is different: it stops tracking of field ownership."""


class ShardInfo(ApiModel):
    """The shard of a list that a response contains, if the client requested only one shard."""

    selector: Annotated[str, Required()] = Field(
        default="", description="The request's parameter shardSelector, which chooses the objects of the shard."
    )


class ListMeta(ApiModel):
    """Metadata of a list: its resourceVersion, and the continue token if the list has more chunks."""

    selfLink: str = Field(
        default="", description="Deprecated: was the URL path of the list; the server no longer sets it."
    )
    resourceVersion: str = Field(
        default="", description="Version of the storage at which the list was read; a watch can start from it."
    )
    continue_: str = Field(
        default="", alias="continue", description="Token to request the next items; empty at the end of the list."
    )
    remainingItemCount: Int64 | None = Field(
        default=None, description="Number of items after those in this response; unset if unknown."
    )
    shardInfo: ShardInfo | None = Field(
        default=None, description="Set if the client requested only a part of the objects: the part in this list."
    )


class TypeMeta(ApiModel):
    """Kind and API version of an object."""

    kind: str = Field(default="", description="Kind of the object, in CamelCase.")
    apiVersion: str = Field(
        default="",
        description="API group and version of the object, such as apps/v1; only the version in the core group.",
    )


class ApiObject(TypeMeta):
    """A stored object: kind, API version, metadata, and the fields of its kind."""

    go_struct: ClassVar[bool] = False

    metadata: ObjectMeta = Field(default_factory=ObjectMeta, description="Name, labels and other standard metadata.")
