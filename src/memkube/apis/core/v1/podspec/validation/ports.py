"""Rules for the ports of containers."""

from collections.abc import Iterable, Sequence
from typing import Final

from memkube.apimachinery.field_errors import FieldError, FieldPath, duplicate, invalid, not_supported, required
from memkube.apimachinery.names import is_port_name, is_port_number
from memkube.apis.core.v1.podspec.types.containers import Container, ContainerPort
from memkube.apis.core.v1.podspec.types.pod_spec import PodSpec

_PROTOCOLS: Final = ("SCTP", "TCP", "UDP")


def validate_ports(ports: Sequence[ContainerPort], path: FieldPath) -> list[FieldError]:
    """Ports have numbers and protocols; their names are unique."""
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
    """The port is told by a number or by the name of a port of the container."""
    messages = is_port_number(port) if isinstance(port, int) else is_port_name(port)
    return [invalid(path, port, message) for message in messages]


def validate_unique_host_ports(containers: Iterable[Container], path: FieldPath) -> list[FieldError]:
    """No two containers take the same port of the node."""
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
    """In the node's network a container's port is the node's port; a template may leave it open."""
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
