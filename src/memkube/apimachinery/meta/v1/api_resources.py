"""Discovery documents: versions, groups and resources of a server."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Named, Required
from memkube.apimachinery.meta.v1.api_object import TypeMeta
from memkube.apimachinery.model import ApiModel


class ServerAddressByClientCIDR(ApiModel):
    """Address of the API server for clients whose IP address is in a given range."""

    clientCIDR: Annotated[str, Required()] = Field(
        default="", description="IP addresses of the clients, as a CIDR block."
    )
    serverAddress: Annotated[str, Required()] = Field(
        default="", description="Host and port at which clients with an address in clientCIDR reach the server."
    )


class APIVersions(TypeMeta):
    """Discovery document of the core group: its served versions."""

    versions: Annotated[list[str], Required()] = Field(
        default_factory=list, description="Served versions of the core group."
    )
    serverAddressByClientCIDRs: Annotated[list[ServerAddressByClientCIDR], Required()] = Field(
        default_factory=list, description="Addresses of the API server, each for clients in a range of IP addresses."
    )


class GroupVersionForDiscovery(ApiModel):
    """A served version of an API group, as discovery lists it."""

    groupVersion: Annotated[str, Required()] = Field(
        default="", description="API group and version in the form of apiVersion, such as apps/v1."
    )
    version: Annotated[str, Required()] = Field(default="", description="Version without the group, such as v1.")


class APIGroup(TypeMeta):
    """Discovery document of an API group: its served versions and the preferred one."""

    name: Annotated[str, Required()] = Field(default="", description="Name of the API group, such as apps.")
    versions: Annotated[list[GroupVersionForDiscovery], Required()] = Field(
        default_factory=list, description="Versions of the group that the server serves."
    )
    preferredVersion: GroupVersionForDiscovery = Field(
        default_factory=GroupVersionForDiscovery,
        description="Version of the group that clients should use if they support several.",
    )
    serverAddressByClientCIDRs: list[ServerAddressByClientCIDR] = Field(
        default_factory=list, description="Addresses of the API server, each for clients in a range of IP addresses."
    )


class APIGroupList(TypeMeta):
    """Discovery document of a server: all API groups except the core group."""

    groups: Annotated[list[APIGroup], Required()] = Field(
        default_factory=list, description="Served groups, except the core group."
    )


class APIResource(ApiModel):
    """A resource or subresource of an API version, as discovery lists it: its names, kind, scope and verbs."""

    name: Annotated[str, Required()] = Field(
        default="", description="Plural name; for a subresource, followed by a slash and its name, such as pods/log."
    )
    singularName: Annotated[str, Required()] = Field(
        default="", description="Singular name of the resource, such as pod."
    )
    namespaced: Annotated[bool, Required()] = Field(
        default=False,
        description="True if objects of the resource are in namespaces; false if they are cluster-scoped.",
    )
    group: str = Field(default="", description="Group of the kind if it differs from that of the APIResourceList.")
    version: str = Field(default="", description="Version of the kind if it differs from that of the APIResourceList.")
    kind: Annotated[str, Required()] = Field(
        default="", description="Kind of the objects that requests for the resource contain, such as Pod."
    )
    verbs: Annotated[list[str], Named("v1.Verbs"), Required()] = Field(
        default_factory=list, description="Supported verbs, such as get, list and watch."
    )
    shortNames: list[str] = Field(default_factory=list, description="Short forms of the name, such as po for pods.")
    categories: list[str] = Field(
        default_factory=list,
        description="Names by which clients can list the resource together with others, such as all.",
    )
    storageVersionHash: str = Field(
        default="", description="Hash that changes if the server stores objects of the resource in another API version."
    )


class APIResourceList(TypeMeta):
    """Discovery document of a group version: its resources and subresources."""

    groupVersion: Annotated[str, Required()] = Field(
        default="", description="API group and version of the resources, such as apps/v1."
    )
    resources: Annotated[list[APIResource], Required()] = Field(
        default_factory=list, description="Resources and subresources of this API version."
    )
