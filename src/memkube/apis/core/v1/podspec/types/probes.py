"""API types of probes, lifecycle hooks and stop signals."""

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
    """A command to run in a container, for a probe or lifecycle hook."""

    command: list[str] = Field(default_factory=list, description="Command and arguments; not run in a shell.")


class GRPCAction(ApiModel):
    """A call of the gRPC health service of a container, for a probe."""

    port: Annotated[Int32, Required()] = Field(
        default=0, description="Port of the container at which the gRPC health service listens, 1 to 65535."
    )
    service: Annotated[str | None, Always(), Default("")] = Field(
        default=None,
        description="Name of the gRPC service in the health check request; empty to check the whole server.",
    )


class HTTPHeader(ApiModel):
    """A header of the HTTP request that a probe or a lifecycle hook sends: name and value."""

    name: Annotated[str, Required()] = Field(default="", description="Name of the HTTP header to send.")
    value: Annotated[str, Required()] = Field(default="", description="Value of the HTTP header to send.")


class HTTPGetAction(ApiModel):
    """An HTTP GET request to a container, for a probe or lifecycle hook."""

    path: str = Field(default="", description="URL path of the GET request; / by default.")
    port: Annotated[IntOrString, Required()] = Field(
        default=0, description="Port to which the request is sent: a number, or the name of a container port."
    )
    host: str = Field(default="", description="Host to connect to; the pod's IP by default.")
    scheme: Annotated[str, Named("v1.URIScheme", ("HTTP", "HTTPS"))] = Field(
        default="", description="Protocol of the request: HTTP (the default) or HTTPS."
    )
    httpHeaders: list[HTTPHeader] = Field(default_factory=list, description="HTTP headers to add to the request.")


class TCPSocketAction(ApiModel):
    """A port of a container to which a probe opens a TCP connection."""

    port: Annotated[IntOrString, Required()] = Field(
        default=0, description="Port to connect to: a number, or the name of a container port."
    )
    host: str = Field(default="", description="Host to connect to; the pod's IP by default.")


class ProbeHandler(ApiModel):
    """Method by which a probe checks a container; exactly one field is set."""

    exec: ExecAction | None = Field(
        default=None, description="Command that is run in the container; succeeds with exit code 0."
    )
    httpGet: HTTPGetAction | None = Field(
        default=None, description="HTTP request; succeeds with a status from 200 to 399."
    )
    tcpSocket: TCPSocketAction | None = Field(
        default=None, description="TCP connection; succeeds if the port accepts it."
    )
    grpc: GRPCAction | None = Field(
        default=None, description="gRPC health check; succeeds if the service reports SERVING."
    )


class Probe(ProbeHandler):
    """A periodic check of a container: its method, times and thresholds."""

    initialDelaySeconds: Int32 = Field(
        default=0, description="Seconds from the start of the container to the first check."
    )
    timeoutSeconds: Int32 = Field(default=0, description="Seconds after which a check times out.")
    periodSeconds: Int32 = Field(default=0, description="Seconds between checks; 10 by default.")
    successThreshold: Int32 = Field(
        default=0, description="Number of consecutive successful checks after which the probe counts as successful."
    )
    failureThreshold: Int32 = Field(
        default=0, description="Number of consecutive failed checks after which the probe counts as failed."
    )
    terminationGracePeriodSeconds: Int64 | None = Field(
        default=None,
        description="Seconds that the container has to stop after the probe failed; the pod's grace period by default.",
    )


class SleepAction(ApiModel):
    """A lifecycle hook that waits for a number of seconds."""

    seconds: Annotated[Int64, Required()] = Field(default=0, description="Number of seconds for which the hook waits.")


class LifecycleHandler(ApiModel):
    """Action of a lifecycle hook; exactly one field is set."""

    exec: ExecAction | None = Field(default=None, description="Command that the hook runs in the container.")
    httpGet: HTTPGetAction | None = Field(default=None, description="HTTP GET request that the hook sends.")
    tcpSocket: TCPSocketAction | None = Field(
        default=None, description="Deprecated and not supported: a hook cannot open a TCP connection."
    )
    sleep: SleepAction | None = Field(default=None, description="Number of seconds for which the hook waits.")


class Lifecycle(ApiModel):
    """Hooks that the kubelet runs after a container starts and before it stops, and the signal that stops it."""

    postStart: LifecycleHandler | None = Field(default=None, description="Hook that runs after the container starts.")
    preStop: LifecycleHandler | None = Field(default=None, description="Hook that runs before the container stops.")
    stopSignal: Annotated[str | None, Named("v1.Signal", SIGNALS)] = Field(
        default=None, description="Signal that stops the container, such as SIGUSR1; by default that of the image."
    )
