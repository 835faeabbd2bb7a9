"""Validation of service ports (``validateServicePort`` and related code in ``pkg/apis/core/validation``)."""

from typing import Final

from memkube.apimachinery.field_errors import (
    FieldError,
    FieldPath,
    duplicate,
    forbidden,
    invalid,
    not_supported,
    required,
)
from memkube.apimachinery.meta.validation.labels import validate_label_name
from memkube.apimachinery.names import is_dns1123_label, is_port_name, is_port_number
from memkube.apimachinery.shown_values import InternalValue
from memkube.apis.core.v1.endpoints.validation import PROTOCOLS
from memkube.apis.core.v1.services.types import ServicePort, ServiceSpec

_PORTS: Final = FieldPath("spec").child("ports")


def validate_ports(ports: list[ServicePort]) -> list[FieldError]:
    """Validate the ports of a service. If there are several, each needs a unique name."""
    errors: list[FieldError] = []
    names: set[str] = set()
    for index, port in enumerate(ports):
        path = _PORTS.item(index)
        if len(ports) > 1 and not port.name:
            errors.append(required(path.child("name")))
        elif port.name:
            errors += [invalid(path.child("name"), port.name, problem) for problem in is_dns1123_label(port.name)]
            if port.name in names:
                errors.append(duplicate(path.child("name"), port.name))
            names.add(port.name)
        errors += _validate_port(port, path)
    return errors


def _validate_port(port: ServicePort, path: FieldPath) -> list[FieldError]:
    errors = [invalid(path.child("port"), port.port, problem) for problem in is_port_number(port.port)]
    if not port.protocol:
        errors.append(required(path.child("protocol")))
    elif port.protocol not in PROTOCOLS:
        errors.append(not_supported(path.child("protocol"), port.protocol, PROTOCOLS))
    target = port.targetPort
    problems = is_port_name(target) if isinstance(target, str) else is_port_number(target)
    errors += [invalid(path.child("targetPort"), target, problem) for problem in problems]
    if port.appProtocol is not None:
        errors += validate_label_name(port.appProtocol, path.child("appProtocol"))
    return errors


def validate_port_numbers(spec: ServiceSpec) -> list[FieldError]:
    """Validate that port numbers and node ports are unique for each protocol."""
    errors: list[FieldError] = []
    on_nodes = [(index, port) for index, port in enumerate(spec.ports) if port.nodePort]
    if spec.type == "ClusterIP":
        detail = "may not be used when `type` is 'ClusterIP'"
        errors += [forbidden(_PORTS.item(index).child("nodePort"), detail) for index, _ in on_nodes]
    taken: set[tuple[str, int]] = set()
    for index, port in on_nodes:
        if (port.protocol, port.nodePort) in taken:
            errors.append(duplicate(_PORTS.item(index).child("nodePort"), port.nodePort))
        taken.add((port.protocol, port.nodePort))
    served: set[tuple[str, int]] = set()
    for index, port in enumerate(spec.ports):
        if (port.protocol, port.port) in served:
            key = ServicePort(protocol=port.protocol, port=port.port)
            errors.append(duplicate(_PORTS.item(index), InternalValue(key)))
        served.add((port.protocol, port.port))
    return errors
