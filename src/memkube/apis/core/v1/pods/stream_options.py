"""Query options of the pod subresources ``log``, ``exec``, ``attach``, ``portforward`` and ``proxy``."""

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
    """Query options of the pod subresource ``log``."""

    container: str = Field(default="", description="Name of the container; optional if the pod has only one.")
    follow: bool = Field(default=False, description="True to stream the log until the container ends.")
    previous: bool = Field(default=False, description="True to show the log of the container's previous instance.")
    sinceSeconds: Int64 | None = Field(default=None, description="Maximum age in seconds of the log lines to show.")
    sinceTime: Time | None = Field(default=None, description="Time of the oldest log lines to show.")
    timestamps: bool = Field(default=False, description="True to start each line with its timestamp.")
    tailLines: Int64 | None = Field(default=None, description="Number of lines to show from the end of the log.")
    limitBytes: Int64 | None = Field(default=None, description="Maximum number of bytes of the log to return.")
    insecureSkipTLSVerifyBackend: bool = Field(
        default=False, description="True to skip verification of the kubelet's certificate."
    )
    stream: str | None = Field(default=None, description="Stream to show: All, Stdout or Stderr.")


class PodExecOptions(TypeMeta):
    """Query options of the pod subresource ``exec``."""

    stdin: bool = Field(default=False, description="True to pass the client's input to the command.")
    stdout: bool = Field(default=False, description="True to send the command's standard output to the client.")
    stderr: bool = Field(default=False, description="True to send the command's standard error to the client.")
    tty: bool = Field(default=False, description="True to allocate a terminal for the command.")
    container: str = Field(default="", description="Name of the container; optional if the pod has only one.")
    command: Annotated[list[str], Always()] = Field(
        default_factory=list, description="Command and arguments; not run in a shell."
    )


class PodAttachOptions(TypeMeta):
    """Query options of the pod subresource ``attach``."""

    stdin: bool = Field(default=False, description="True to pass the client's input to the container's process.")
    stdout: bool = Field(default=False, description="True to send the container's standard output to the client.")
    stderr: bool = Field(default=False, description="True to send the container's standard error to the client.")
    tty: bool = Field(default=False, description="True if the container's process has a terminal.")
    container: str = Field(default="", description="Name of the container; optional if the pod has only one.")


class PodPortForwardOptions(TypeMeta):
    """Query options of the pod subresource ``portforward``."""

    ports: list[Int32] = Field(default_factory=list, description="Ports to forward; needed by WebSocket clients only.")


class PodProxyOptions(TypeMeta):
    """Query options of a proxy request to a pod: the URL path."""

    path: str = Field(default="", description="URL path that is requested from the pod.")


def log_options(query: Query, pod: str) -> PodLogOptions:
    """Parse and validate the query options of a request for ``log``.

    `pod` is the name of the pod, for error messages. Raises ApiError 400 for values that cannot be parsed, and 422 for
    invalid or conflicting options.
    """
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
    """Parse the query options of a request for ``exec``. Missing options are False, "" or an empty command."""
    return PodExecOptions(
        stdin=bool(flag(query, "stdin")),
        stdout=bool(flag(query, "stdout")),
        stderr=bool(flag(query, "stderr")),
        tty=bool(flag(query, "tty")),
        container=text(query, "container"),
        command=list(query.get("command", [])),
    )


def attach_options(query: Query) -> PodAttachOptions:
    """Parse the query options of a request for ``attach``. Missing options are False or ""."""
    return PodAttachOptions(
        stdin=bool(flag(query, "stdin")),
        stdout=bool(flag(query, "stdout")),
        stderr=bool(flag(query, "stderr")),
        tty=bool(flag(query, "tty")),
        container=text(query, "container"),
    )


def port_forward_options(query: Query) -> PodPortForwardOptions:
    """Parse the query options of ``portforward``: port numbers, repeated or separated by commas.

    Raises ApiError 400 for an invalid port.
    """
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
    """Return the errors in the query options of ``log``, by kube-apiserver's rules.

    The option `stream` is an error, because the feature PodLogsQuerySplitStreams is disabled by default. `has_time` is
    True if the query has `sinceTime`, even if its value is empty. Source: ``ValidatePodLogOptions``.
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
