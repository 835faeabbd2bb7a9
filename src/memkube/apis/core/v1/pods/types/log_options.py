"""."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Always
from memkube.apimachinery.meta.v1.api_object import TypeMeta
from memkube.apimachinery.scalars import Int32, Int64, Time


class PodLogOptions(TypeMeta):
    """."""

    container: str = Field(default="", description="")
    follow: bool = Field(default=False, description="")
    previous: bool = Field(default=False, description="")
    sinceSeconds: Int64 | None = Field(default=None, description="")
    sinceTime: Time | None | None = Field(default=None, description="")
    timestamps: bool = Field(default=False, description="")
    tailLines: Int64 | None = Field(default=None, description="")
    limitBytes: Int64 | None = Field(default=None, description="")
    insecureSkipTLSVerifyBackend: bool = Field(default=False, description="")
    stream: str | None = Field(default=None, description="")


class PodExecOptions(TypeMeta):
    """."""

    stdin: bool = Field(default=False, description="")
    stdout: bool = Field(default=False, description="")
    stderr: bool = Field(default=False, description="")
    tty: bool = Field(default=False, description="")
    container: str = Field(default="", description="")
    command: Annotated[list[str], Always()] = Field(default_factory=list, description="")


class PodAttachOptions(TypeMeta):
    """."""

    stdin: bool = Field(default=False, description="")
    stdout: bool = Field(default=False, description="")
    stderr: bool = Field(default=False, description="")
    tty: bool = Field(default=False, description="")
    container: str = Field(default="", description="")


class PodPortForwardOptions(TypeMeta):
    """."""

    ports: list[Int32] = Field(default_factory=list, description="")


class PodProxyOptions(TypeMeta):
    """."""

    path: str = Field(default="", description="")
