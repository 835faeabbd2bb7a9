"""Validation of container ports, probes and lifecycle hooks."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from memkube.apimachinery.field_errors import (
    FieldError,
    FieldPath,
    duplicate,
    forbidden,
    invalid,
    not_supported,
    required,
)
from memkube.apimachinery.meta.validation.object_meta import validate_nonnegative
from memkube.apimachinery.names import is_http_header_name, is_port_name, is_port_number
from memkube.apis.core.v1.podspec.types.containers import Container, ContainerPort
from memkube.apis.core.v1.podspec.types.pod_spec import PodSpec
from memkube.apis.core.v1.podspec.types.probes import (
    ExecAction,
    GRPCAction,
    HTTPGetAction,
    Lifecycle,
    LifecycleHandler,
    Probe,
    SleepAction,
    TCPSocketAction,
)
from memkube.apis.core.v1.podspec.validation.context import AnyContainer

_PROTOCOLS: Final = ("SCTP", "TCP", "UDP")
_HTTP_SCHEMES: Final = ("HTTP", "HTTPS")
_PROBE_NUMBERS: Final = (
    "initialDelaySeconds",
    "timeoutSeconds",
    "periodSeconds",
    "successThreshold",
    "failureThreshold",
)


def validate_ports(ports: Sequence[ContainerPort], path: FieldPath) -> list[FieldError]:
    """Validate container ports: numbers, protocols and unique names."""
    errors: list[FieldError] = []
    names: set[str] = set()
    for index, port in enumerate(ports):
        item = path.item(index)
        if port.name:
            errors += _validate_name(port.name, names, item.child("name"))
        if port.containerPort == 0:
            errors.append(required(item.child("containerPort")))
        else:
            messages = is_port_number(port.containerPort)
            errors += [invalid(item.child("containerPort"), port.containerPort, message) for message in messages]
        if port.hostPort != 0:
            errors += [invalid(item.child("hostPort"), port.hostPort, error) for error in is_port_number(port.hostPort)]
        if not port.protocol:
            errors.append(required(item.child("protocol")))
        elif port.protocol not in _PROTOCOLS:
            errors.append(not_supported(item.child("protocol"), port.protocol, _PROTOCOLS))
    return errors


def validate_port_number_or_name(port: int | str, path: FieldPath) -> list[FieldError]:
    """Validate that the port is a port number or a port name."""
    messages = is_port_number(port) if isinstance(port, int) else is_port_name(port)
    return [invalid(path, port, message) for message in messages]


def validate_unique_host_ports(containers: Iterable[Container], path: FieldPath) -> list[FieldError]:
    """Validate that no two containers use the same host port."""
    errors: list[FieldError] = []
    taken: set[str] = set()
    for number, container in enumerate(containers):
        for index, port in enumerate(container.ports):
            if port.hostPort == 0:
                continue
            key = f"{port.protocol}/{port.hostIP}/{port.hostPort}"
            if key in taken:
                errors.append(duplicate(path.item(number).child("ports").item(index).child("hostPort"), key))
            taken.add(key)
    return errors


def validate_host_network_ports(spec: PodSpec, path: FieldPath, *, is_pod: bool) -> list[FieldError]:
    """Validate that host ports equal container ports if the pod uses the host network.

    A pod template may omit the host ports.
    """
    errors: list[FieldError] = []
    if not spec.hostNetwork:
        return errors
    for number, container in enumerate(spec.containers):
        for index, port in enumerate(container.ports):
            if (is_pod or port.hostPort != 0) and port.hostPort != port.containerPort:
                port_path = path.child("containers").item(number).child("ports").item(index).child("hostPort")
                detail = "must match `containerPort` when `hostNetwork` is true"
                errors.append(invalid(port_path, port.hostPort, detail))
    return errors


def _validate_name(name: str, taken: set[str], path: FieldPath) -> list[FieldError]:
    messages = is_port_name(name)
    if messages:
        return [invalid(path, name, message) for message in messages]
    if name in taken:
        return [duplicate(path, name)]
    taken.add(name)
    return []


def validate_probes(container: AnyContainer, grace_period: int | None, path: FieldPath) -> list[FieldError]:
    """Validate the probes of a container.

    Each has exactly one handler, and only readiness probes may have a successThreshold other than 1. `grace_period` is
    the pod's termination grace period in seconds.
    """
    errors: list[FieldError] = []
    if (liveness := container.livenessProbe) is not None:
        errors += _validate_probe(liveness, grace_period, path.child("livenessProbe"))
        errors += _validate_single_success(liveness, path.child("livenessProbe"))
    if (readiness := container.readinessProbe) is not None:
        errors += _validate_probe(readiness, grace_period, path.child("readinessProbe"))
        if readiness.terminationGracePeriodSeconds is not None:
            seconds_path = path.child("readinessProbe").child("terminationGracePeriodSeconds")
            detail = "must not be set for readinessProbes"
            errors.append(invalid(seconds_path, readiness.terminationGracePeriodSeconds, detail))
    if (startup := container.startupProbe) is not None:
        errors += _validate_probe(startup, grace_period, path.child("startupProbe"))
        errors += _validate_single_success(startup, path.child("startupProbe"))
    return errors


def validate_lifecycle(lifecycle: Lifecycle, grace_period: int | None, path: FieldPath) -> list[FieldError]:
    """Validate the lifecycle hooks of a container: each has exactly one handler.

    A hook must not sleep for longer than `grace_period`, the pod's termination grace period in seconds.
    """
    errors: list[FieldError] = []
    if lifecycle.postStart is not None:
        errors += _validate_handler(lifecycle.postStart, grace_period, path.child("postStart"))
    if lifecycle.preStop is not None:
        errors += _validate_handler(lifecycle.preStop, grace_period, path.child("preStop"))
    return errors


def _validate_probe(probe: Probe, grace_period: int | None, path: FieldPath) -> list[FieldError]:
    errors = _validate_handler(probe, grace_period, path)
    for name in _PROBE_NUMBERS:
        if (number := getattr(probe, name)) < 0:
            errors += validate_nonnegative(number, path.child(name))
    seconds = probe.terminationGracePeriodSeconds
    if seconds is not None and seconds <= 0:
        errors.append(invalid(path.child("terminationGracePeriodSeconds"), seconds, "must be greater than 0"))
    return errors


def _validate_single_success(probe: Probe, path: FieldPath) -> list[FieldError]:
    if probe.successThreshold == 1:
        return []
    return [invalid(path.child("successThreshold"), probe.successThreshold, "must be 1")]


def _validate_handler(handler: Probe | LifecycleHandler, grace_period: int | None, path: FieldPath) -> list[FieldError]:
    errors: list[FieldError] = []
    found, actions = False, vars(handler)
    for name, validate in _HANDLER_RULES.items():
        action = actions.get(name)
        if action is None:
            continue
        if found:
            errors.append(forbidden(path.child(name), "may not specify more than 1 handler type"))
        else:
            errors += validate(action, grace_period, path.child(name))
        found = True
    return errors if found else [required(path, "must specify a handler type")]


def _validate_exec(action: ExecAction, _: int | None, path: FieldPath) -> list[FieldError]:
    return [] if action.command else [required(path.child("command"))]


def _validate_http_get(action: HTTPGetAction, _: int | None, path: FieldPath) -> list[FieldError]:
    errors = [] if action.path else [required(path.child("path"))]
    errors += validate_port_number_or_name(action.port, path.child("port"))
    if action.scheme not in _HTTP_SCHEMES:
        errors.append(not_supported(path.child("scheme"), action.scheme, _HTTP_SCHEMES))
    for header in action.httpHeaders:
        errors += [invalid(path.child("httpHeaders"), header.name, error) for error in is_http_header_name(header.name)]
    return errors


def _validate_port(action: TCPSocketAction | GRPCAction, _: int | None, path: FieldPath) -> list[FieldError]:
    return validate_port_number_or_name(action.port, path.child("port"))


def _validate_sleep(action: SleepAction, grace_period: int | None, path: FieldPath) -> list[FieldError]:
    if grace_period is None or 0 <= action.seconds <= grace_period:
        return []
    detail = f"must be non-negative and less than terminationGracePeriodSeconds ({grace_period})"
    return [invalid(path, action.seconds, detail)]


_HANDLER_RULES: Final[dict[str, Callable[[Any, int | None, FieldPath], list[FieldError]]]] = {
    "exec": _validate_exec,
    "httpGet": _validate_http_get,
    "tcpSocket": _validate_port,
    "grpc": _validate_port,
    "sleep": _validate_sleep,
}
