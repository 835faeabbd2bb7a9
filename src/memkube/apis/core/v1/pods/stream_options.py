"""What clients ask of the connections to a pod: logs, exec, attach and forwarded ports."""

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from memkube.apimachinery.errors import bad_request, invalid
from memkube.apimachinery.field_errors import FieldError, forbidden
from memkube.apimachinery.field_errors import invalid as invalid_value
from memkube.apimachinery.markers import Always
from memkube.apimachinery.meta.v1.api_object import TypeMeta
from memkube.apimachinery.query import Query, flag, integer, text, time
from memkube.apimachinery.scalars import Int32, Int64, Time
from memkube.apimachinery.shown_values import quoted

_LARGEST_PORT = 2**16 - 1


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


def log_options(query: Query, pod: str) -> PodLogOptions:
    """Raises ApiError 400 for what cannot be read, 422 for what contradicts itself."""
    options = PodLogOptions(
        container=text(query, "container"),
        follow=bool(flag(query, "follow")),
        previous=bool(flag(query, "previous")),
        sinceSeconds=integer(query, "sinceSeconds"),
        sinceTime=time(query, "sinceTime"),
        timestamps=bool(flag(query, "timestamps")),
        tailLines=integer(query, "tailLines"),
        limitBytes=integer(query, "limitBytes"),
        insecureSkipTLSVerifyBackend=bool(flag(query, "insecureSkipTLSVerifyBackend")),
        stream=text(query, "stream") if "stream" in query else None,
    )
    errors = _log_errors(options, has_time="sinceTime" in query)
    if errors:
        raise invalid("", "PodLogOptions", pod, errors)
    return options


def exec_options(query: Query) -> PodExecOptions:
    """Which command to run, and with what."""
    return PodExecOptions(
        stdin=bool(flag(query, "stdin")),
        stdout=bool(flag(query, "stdout")),
        stderr=bool(flag(query, "stderr")),
        tty=bool(flag(query, "tty")),
        container=text(query, "container"),
        command=list(query.get("command", [])),
    )


def attach_options(query: Query) -> PodAttachOptions:
    """What to attach to."""
    return PodAttachOptions(
        stdin=bool(flag(query, "stdin")),
        stdout=bool(flag(query, "stdout")),
        stderr=bool(flag(query, "stderr")),
        tty=bool(flag(query, "tty")),
        container=text(query, "container"),
    )


def port_forward_options(query: Query) -> PodPortForwardOptions:
    """Which ports to forward, with or without commas between them. Raises ApiError 400."""
    values = query.get("ports", [])
    return PodPortForwardOptions(ports=_ports(",".join(values).split(",") if values else ()))


def _ports(texts: Sequence[str]) -> list[int]:
    for digits in texts:
        if not (digits.isascii() and digits.isdigit()):
            why = "invalid syntax"
        elif int(digits) > _LARGEST_PORT:
            why = "value out of range"
        else:
            continue
        raise bad_request(f"cannot convert to []int32: strconv.ParseUint: parsing {quoted(digits)}: {why}")
    return [int(digits) for digits in texts]


def _log_errors(options: PodLogOptions, *, has_time: bool) -> list[FieldError]:
    """Source: ``ValidatePodLogOptions``. The reference's feature of choosing a stream is off by default.

    An empty time is a time to it, though it says nothing.
    """
    errors: list[FieldError] = []
    if options.tailLines is not None and options.tailLines < 0:
        errors.append(invalid_value("tailLines", options.tailLines, "must be greater than or equal to 0"))
    if options.limitBytes is not None and options.limitBytes < 1:
        errors.append(invalid_value("limitBytes", options.limitBytes, "must be greater than 0"))
    if options.sinceSeconds is not None and has_time:
        errors.append(forbidden("[]", "at most one of `sinceTime` or `sinceSeconds` may be specified"))
    elif options.sinceSeconds is not None and options.sinceSeconds < 1:
        errors.append(invalid_value("sinceSeconds", options.sinceSeconds, "must be greater than 0"))
    if options.stream is not None:
        errors.append(forbidden("stream", "may not be specified"))
    return errors
