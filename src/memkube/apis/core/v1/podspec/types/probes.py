"""Probes and hooks of containers, and the signals that end them."""

from typing import Annotated, Final

from pydantic import Field

from memkube.apimachinery.markers import Always, Default, Named, Required
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int32, Int64, IntOrString

SIGNALS: Final = (
    "SIGABRT",
    "SIGALRM",
    "SIGBUS",
    "SIGCHLD",
    "SIGCLD",
    "SIGCONT",
    "SIGFPE",
    "SIGHUP",
    "SIGILL",
    "SIGINT",
    "SIGIO",
    "SIGIOT",
    "SIGKILL",
    "SIGPIPE",
    "SIGPOLL",
    "SIGPROF",
    "SIGPWR",
    "SIGQUIT",
    "SIGRTMAX",
    "SIGRTMAX-1",
    "SIGRTMAX-10",
    "SIGRTMAX-11",
    "SIGRTMAX-12",
    "SIGRTMAX-13",
    "SIGRTMAX-14",
    "SIGRTMAX-2",
    "SIGRTMAX-3",
    "SIGRTMAX-4",
    "SIGRTMAX-5",
    "SIGRTMAX-6",
    "SIGRTMAX-7",
    "SIGRTMAX-8",
    "SIGRTMAX-9",
    "SIGRTMIN",
    "SIGRTMIN+1",
    "SIGRTMIN+10",
    "SIGRTMIN+11",
    "SIGRTMIN+12",
    "SIGRTMIN+13",
    "SIGRTMIN+14",
    "SIGRTMIN+15",
    "SIGRTMIN+2",
    "SIGRTMIN+3",
    "SIGRTMIN+4",
    "SIGRTMIN+5",
    "SIGRTMIN+6",
    "SIGRTMIN+7",
    "SIGRTMIN+8",
    "SIGRTMIN+9",
    "SIGSEGV",
    "SIGSTKFLT",
    "SIGSTOP",
    "SIGSYS",
    "SIGTERM",
    "SIGTRAP",
    "SIGTSTP",
    "SIGTTIN",
    "SIGTTOU",
    "SIGURG",
    "SIGUSR1",
    "SIGUSR2",
    "SIGVTALRM",
    "SIGWINCH",
    "SIGXCPU",
    "SIGXFSZ",
)


class ExecAction(ApiModel):
    """A command in the container."""

    command: list[str] = Field(default_factory=list, description="Command and arguments; no shell is involved.")


class GRPCAction(ApiModel):
    """A gRPC health check."""

    port: Annotated[Int32, Required()] = Field(default=0, description="Port of the service, 1 to 65535.")
    service: Annotated[str | None, Always(), Default("")] = Field(default=None, description="Service to ask for.")


class HTTPHeader(ApiModel):
    """A header of a request."""

    name: Annotated[str, Required()] = Field(default="", description="Name of the header.")
    value: Annotated[str, Required()] = Field(default="", description="Value of the header.")


class HTTPGetAction(ApiModel):
    """An HTTP GET request."""

    path: str = Field(default="", description="Path to request.")
    port: Annotated[IntOrString, Required()] = Field(default=0, description="Number or name of the port.")
    host: str = Field(default="", description="Host to connect to; the pod by default.")
    scheme: Annotated[str, Named("v1.URIScheme", ("HTTP", "HTTPS"))] = Field(default="", description="HTTP or HTTPS.")
    httpHeaders: list[HTTPHeader] = Field(default_factory=list, description="Headers of the request.")


class TCPSocketAction(ApiModel):
    """A TCP connection."""

    port: Annotated[IntOrString, Required()] = Field(default=0, description="Number or name of the port.")
    host: str = Field(default="", description="Host to connect to; the pod by default.")


class ProbeHandler(ApiModel):
    """How to check; one of the fields is set."""

    exec: ExecAction | None = Field(default=None, description="Succeeds with exit code 0.")
    httpGet: HTTPGetAction | None = Field(default=None, description="Succeeds with a status from 200 to 399.")
    tcpSocket: TCPSocketAction | None = Field(default=None, description="Succeeds if the port can be connected to.")
    grpc: GRPCAction | None = Field(default=None, description="Succeeds if the service says that it serves.")


class Probe(ProbeHandler):
    """A check that is repeated."""

    initialDelaySeconds: Int32 = Field(
        default=0, description="Seconds from the start of the container to the first check."
    )
    timeoutSeconds: Int32 = Field(default=0, description="Seconds after which a check fails.")
    periodSeconds: Int32 = Field(default=0, description="Seconds between checks.")
    successThreshold: Int32 = Field(
        default=0, description="Successes in a row after which a failed check counts as passed."
    )
    failureThreshold: Int32 = Field(default=0, description="Failures in a row after which the check counts as failed.")
    terminationGracePeriodSeconds: Int64 | None = Field(
        default=None, description="Seconds to end in after a failure, if not the pod's own."
    )


class SleepAction(ApiModel):
    """A pause."""

    seconds: Annotated[Int64, Required()] = Field(default=0, description="Seconds to pause.")


class LifecycleHandler(ApiModel):
    """An action in a container's life; one of the fields is set."""

    exec: ExecAction | None = Field(default=None, description="Runs a command.")
    httpGet: HTTPGetAction | None = Field(default=None, description="Sends a request.")
    tcpSocket: TCPSocketAction | None = Field(default=None, description="Deprecated and without effect.")
    sleep: SleepAction | None = Field(default=None, description="Pauses.")


class Lifecycle(ApiModel):
    """Actions in a container's life."""

    postStart: LifecycleHandler | None = Field(default=None, description="Follows the start of the container.")
    preStop: LifecycleHandler | None = Field(default=None, description="Precedes the end of the container.")
    stopSignal: Annotated[str | None, Named("v1.Signal", SIGNALS)] = Field(
        default=None, description="Signal that stops the container; that of the image by default."
    )
