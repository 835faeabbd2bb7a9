"""Query options of a pod's subresources that stream."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Always
from memkube.apimachinery.meta.v1.api_object import TypeMeta
from memkube.apimachinery.scalars import Int32, Int64, Time


class PodLogOptions(TypeMeta):
    """What of a container's log to show."""

    container: str = Field(default="", description="Container; may be left out if there is only one.")
    follow: bool = Field(default=False, description="Whether to wait for more.")
    previous: bool = Field(default=False, description="Whether to show the log of the container's previous run.")
    sinceSeconds: Int64 | None = Field(default=None, description="Seconds to look back.")
    sinceTime: Time | None = Field(default=None, description="Time to begin at.")
    timestamps: bool = Field(default=False, description="Whether each line begins with its time.")
    tailLines: Int64 | None = Field(default=None, description="Lines to show from the end.")
    limitBytes: Int64 | None = Field(default=None, description="Bytes after which to stop.")
    insecureSkipTLSVerifyBackend: bool = Field(
        default=False, description="Whether to take the log from a node whose certificate cannot be verified."
    )
    stream: str | None = Field(default=None, description="Stream to show: All, Stdout or Stderr.")


class PodExecOptions(TypeMeta):
    """A command to run in a container."""

    stdin: bool = Field(default=False, description="Whether input is sent.")
    stdout: bool = Field(default=False, description="Whether output is wanted.")
    stderr: bool = Field(default=False, description="Whether error output is wanted.")
    tty: bool = Field(default=False, description="Whether the command gets a terminal.")
    container: str = Field(default="", description="Container; may be left out if there is only one.")
    command: Annotated[list[str], Always()] = Field(
        default_factory=list, description="Command and arguments; no shell is involved."
    )


class PodAttachOptions(TypeMeta):
    """How to attach to a container's process."""

    stdin: bool = Field(default=False, description="Whether input is sent.")
    stdout: bool = Field(default=False, description="Whether output is wanted.")
    stderr: bool = Field(default=False, description="Whether error output is wanted.")
    tty: bool = Field(default=False, description="Whether the process has a terminal.")
    container: str = Field(default="", description="Container; may be left out if there is only one.")


class PodPortForwardOptions(TypeMeta):
    """Ports to forward to a pod."""

    ports: list[Int32] = Field(default_factory=list, description="Ports to forward, for clients that use WebSockets.")


class PodProxyOptions(TypeMeta):
    """A request to pass on to a pod."""

    path: str = Field(default="", description="Path to request of the pod.")
