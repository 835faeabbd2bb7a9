"""What discovery answers: the versions, groups and resources that a server has."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Named, Required
from memkube.apimachinery.meta.v1.api_object import TypeMeta
from memkube.apimachinery.model import ApiModel


class ServerAddressByClientCIDR(ApiModel):
    """A server address for clients from a range of addresses."""

    clientCIDR: Annotated[str, Required()] = Field(
        default="", description="Range of client addresses, in CIDR notation."
    )
    serverAddress: Annotated[str, Required()] = Field(
        default="", description="Host and port at which these clients reach the server."
    )


class APIVersions(TypeMeta):
    """The versions of the core group."""

    versions: Annotated[list[str], Required()] = Field(default_factory=list, description="Versions that are served.")
    serverAddressByClientCIDRs: Annotated[list[ServerAddressByClientCIDR], Required()] = Field(
        default_factory=list, description="Server addresses by range of client addresses."
    )


class GroupVersionForDiscovery(ApiModel):
    """A version of a group."""

    groupVersion: Annotated[str, Required()] = Field(
        default="", description="Group and version, as apiVersion has them."
    )
    version: Annotated[str, Required()] = Field(default="", description="Version alone.")


class APIGroup(TypeMeta):
    """A group and its versions."""

    name: Annotated[str, Required()] = Field(default="", description="Name of the group.")
    versions: Annotated[list[GroupVersionForDiscovery], Required()] = Field(
        default_factory=list, description="Versions of the group that are served."
    )
    preferredVersion: GroupVersionForDiscovery = Field(
        default_factory=GroupVersionForDiscovery, description="Version that clients should prefer."
    )
    serverAddressByClientCIDRs: list[ServerAddressByClientCIDR] = Field(
        default_factory=list, description="Server addresses by range of client addresses."
    )


class APIGroupList(TypeMeta):
    """The groups that a server has."""

    groups: Annotated[list[APIGroup], Required()] = Field(
        default_factory=list, description="Groups that are served, without the core group."
    )


class APIResource(ApiModel):
    """A resource or subresource of a group and version."""

    name: Annotated[str, Required()] = Field(
        default="", description="Plural name, followed by a slash and the subresource if there is one."
    )
    singularName: Annotated[str, Required()] = Field(
        default="", description="Name for a single object, as clients may print it."
    )
    namespaced: Annotated[bool, Required()] = Field(
        default=False, description="Whether the objects live in namespaces."
    )
    group: str = Field(default="", description="Group of the resource's kind where it is not that of the list.")
    version: str = Field(default="", description="Version of the resource's kind where it is not that of the list.")
    kind: Annotated[str, Required()] = Field(default="", description="Kind of the objects.")
    verbs: Annotated[list[str], Named("v1.Verbs"), Required()] = Field(
        default_factory=list, description="Verbs that the resource takes, such as get, list and watch."
    )
    shortNames: list[str] = Field(default_factory=list, description="Abbreviations that clients accept.")
    categories: list[str] = Field(
        default_factory=list, description="Sets of resources, such as all, that the resource belongs to."
    )
    storageVersionHash: str = Field(
        default="", description="Changes when objects come to be stored in another version."
    )


class APIResourceList(TypeMeta):
    """The resources of a group and version."""

    groupVersion: Annotated[str, Required()] = Field(default="", description="Group and version of the resources.")
    resources: Annotated[list[APIResource], Required()] = Field(
        default_factory=list, description="Resources and subresources."
    )
