"""."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Always, Named, Required
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Int32, Int64, IntOrString


class ExecAction(ApiModel):
    """."""

    command: list[str] = Field(default_factory=list, description="")


class GRPCAction(ApiModel):
    """."""

    port: Annotated[Int32, Required()] = Field(default=0, description="")
    service: Annotated[str | None, Always()] = Field(default=None, description="")


class HTTPHeader(ApiModel):
    """."""

    name: Annotated[str, Required()] = Field(default="", description="")
    value: Annotated[str, Required()] = Field(default="", description="")


class HTTPGetAction(ApiModel):
    """."""

    path: str = Field(default="", description="")
    port: Annotated[IntOrString, Required()] = Field(default=0, description="")
    host: str = Field(default="", description="")
    scheme: Annotated[str, Named("v1.URIScheme", ("HTTP", "HTTPS"))] = Field(default="", description="")
    httpHeaders: list[HTTPHeader] = Field(default_factory=list, description="")


class TCPSocketAction(ApiModel):
    """."""

    port: Annotated[IntOrString, Required()] = Field(default=0, description="")
    host: str = Field(default="", description="")


class ProbeHandler(ApiModel):
    """."""

    exec: ExecAction | None = Field(default=None, description="")
    httpGet: HTTPGetAction | None = Field(default=None, description="")
    tcpSocket: TCPSocketAction | None = Field(default=None, description="")
    grpc: GRPCAction | None = Field(default=None, description="")


class Probe(ProbeHandler):
    """."""

    initialDelaySeconds: Int32 = Field(default=0, description="")
    timeoutSeconds: Int32 = Field(default=0, description="")
    periodSeconds: Int32 = Field(default=0, description="")
    successThreshold: Int32 = Field(default=0, description="")
    failureThreshold: Int32 = Field(default=0, description="")
    terminationGracePeriodSeconds: Int64 | None = Field(default=None, description="")


class SleepAction(ApiModel):
    """."""

    seconds: Annotated[Int64, Required()] = Field(default=0, description="")


class LifecycleHandler(ApiModel):
    """."""

    exec: ExecAction | None = Field(default=None, description="")
    httpGet: HTTPGetAction | None = Field(default=None, description="")
    tcpSocket: TCPSocketAction | None = Field(default=None, description="")
    sleep: SleepAction | None = Field(default=None, description="")


class Lifecycle(ApiModel):
    """."""

    postStart: LifecycleHandler | None = Field(default=None, description="")
    preStop: LifecycleHandler | None = Field(default=None, description="")
    stopSignal: Annotated[str | None, Named("v1.Signal", ("SIGABRT", "SIGALRM", "SIGBUS", "SIGCHLD", "SIGCLD", "SIGCONT", "SIGFPE", "SIGHUP", "SIGILL", "SIGINT", "SIGIO", "SIGIOT", "SIGKILL", "SIGPIPE", "SIGPOLL", "SIGPROF", "SIGPWR", "SIGQUIT", "SIGRTMAX", "SIGRTMAX-1", "SIGRTMAX-10", "SIGRTMAX-11", "SIGRTMAX-12", "SIGRTMAX-13", "SIGRTMAX-14", "SIGRTMAX-2", "SIGRTMAX-3", "SIGRTMAX-4", "SIGRTMAX-5", "SIGRTMAX-6", "SIGRTMAX-7", "SIGRTMAX-8", "SIGRTMAX-9", "SIGRTMIN", "SIGRTMIN+1", "SIGRTMIN+10", "SIGRTMIN+11", "SIGRTMIN+12", "SIGRTMIN+13", "SIGRTMIN+14", "SIGRTMIN+15", "SIGRTMIN+2", "SIGRTMIN+3", "SIGRTMIN+4", "SIGRTMIN+5", "SIGRTMIN+6", "SIGRTMIN+7", "SIGRTMIN+8", "SIGRTMIN+9", "SIGSEGV", "SIGSTKFLT", "SIGSTOP", "SIGSYS", "SIGTERM", "SIGTRAP", "SIGTSTP", "SIGTTIN", "SIGTTOU", "SIGURG", "SIGUSR1", "SIGUSR2", "SIGVTALRM", "SIGWINCH", "SIGXCPU", "SIGXFSZ"))] = Field(default=None, description="")
