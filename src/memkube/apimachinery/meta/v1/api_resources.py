"""."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Named, Required
from memkube.apimachinery.meta.v1.api_object import TypeMeta
from memkube.apimachinery.model import ApiModel


class ServerAddressByClientCIDR(ApiModel):
    """."""

    clientCIDR: Annotated[str, Required()] = Field(default="", description="")
    serverAddress: Annotated[str, Required()] = Field(default="", description="")


class APIVersions(TypeMeta):
    """."""

    versions: Annotated[list[str], Required()] = Field(default_factory=list, description="")
    serverAddressByClientCIDRs: Annotated[list[ServerAddressByClientCIDR], Required()] = Field(default_factory=list, description="")


class GroupVersionForDiscovery(ApiModel):
    """."""

    groupVersion: Annotated[str, Required()] = Field(default="", description="")
    version: Annotated[str, Required()] = Field(default="", description="")


class APIGroup(TypeMeta):
    """."""

    name: Annotated[str, Required()] = Field(default="", description="")
    versions: Annotated[list[GroupVersionForDiscovery], Required()] = Field(default_factory=list, description="")
    preferredVersion: GroupVersionForDiscovery = Field(default_factory=GroupVersionForDiscovery, description="")
    serverAddressByClientCIDRs: list[ServerAddressByClientCIDR] = Field(default_factory=list, description="")


class APIGroupList(TypeMeta):
    """."""

    groups: Annotated[list[APIGroup], Required()] = Field(default_factory=list, description="")


class APIResource(ApiModel):
    """."""

    name: Annotated[str, Required()] = Field(default="", description="")
    singularName: Annotated[str, Required()] = Field(default="", description="")
    namespaced: Annotated[bool, Required()] = Field(default=False, description="")
    group: str = Field(default="", description="")
    version: str = Field(default="", description="")
    kind: Annotated[str, Required()] = Field(default="", description="")
    verbs: Annotated[list[str], Named("v1.Verbs"), Required()] = Field(default_factory=list, description="")
    shortNames: list[str] = Field(default_factory=list, description="")
    categories: list[str] = Field(default_factory=list, description="")
    storageVersionHash: str = Field(default="", description="")


class APIResourceList(TypeMeta):
    """."""

    groupVersion: Annotated[str, Required()] = Field(default="", description="")
    resources: Annotated[list[APIResource], Required()] = Field(default_factory=list, description="")
