"""Names and addresses that a pod can resolve."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Required
from memkube.apimachinery.model import ApiModel


class HostAlias(ApiModel):
    """Names for an address in the pod's hosts file."""

    ip: Annotated[str, Required()] = Field(default="", description="IP address.")
    hostnames: list[str] = Field(default_factory=list, description="Names for the address.")


class PodDNSConfigOption(ApiModel):
    """An option of the resolver."""

    name: str = Field(default="", description="Name of the option.")
    value: str | None = Field(default=None, description="Value of the option.")


class PodDNSConfig(ApiModel):
    """Resolver settings on top of those of the DNS policy."""

    nameservers: list[str] = Field(default_factory=list, description="Addresses of name servers.")
    searches: list[str] = Field(default_factory=list, description="Domains to search for short names.")
    options: list[PodDNSConfigOption] = Field(default_factory=list, description="Options of the resolver.")
