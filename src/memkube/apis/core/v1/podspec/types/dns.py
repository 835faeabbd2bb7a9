"""."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Required
from memkube.apimachinery.model import ApiModel


class HostAlias(ApiModel):
    """."""

    ip: Annotated[str, Required()] = Field(default="", description="")
    hostnames: list[str] = Field(default_factory=list, description="")


class PodDNSConfigOption(ApiModel):
    """."""

    name: str = Field(default="", description="")
    value: str | None = Field(default=None, description="")


class PodDNSConfig(ApiModel):
    """."""

    nameservers: list[str] = Field(default_factory=list, description="")
    searches: list[str] = Field(default_factory=list, description="")
    options: list[PodDNSConfigOption] = Field(default_factory=list, description="")
