"""Warnings about containers, and about fractional byte quantities."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from memkube.apimachinery.field_errors import FieldPath
from memkube.apimachinery.names import is_dns1123_label
from memkube.apimachinery.quantity import Quantity
from memkube.apimachinery.shown_values import quoted
from memkube.apis.core.v1.podspec.types.containers import ContainerPort, ResourceRequirements
from memkube.apis.core.v1.podspec.types.env import EnvVar
from memkube.apis.core.v1.podspec.types.pod_spec import PodSpec
from memkube.apis.core.v1.podspec.validation.context import containers_with_paths

BYTES: Final = ("memory", "ephemeral-storage")


def pod_base_name_warnings(name: str) -> list[str]:
    """Warn if a workload's name is not a DNS label, because the names of its pods begin with it."""
    messages = is_dns1123_label(name)
    if not messages:
        return []
    prose = "this is used in Pod names and hostnames, which can result in surprising behavior"
    return [f"metadata.name: {prose}; a DNS label is recommended: [{' '.join(messages)}]"]


def fraction_warnings(resources: Mapping[str, Quantity], names: Iterable[str], path: FieldPath) -> Iterable[str]:
    """Warn about amounts of the resources in `names`, such as memory, that include a fraction of a byte."""
    for name in names:
        quantity = resources.get(name)
        if quantity is not None and quantity.milli_value % 1000:
            yield f"{path.key(name)}: fractional byte value {quoted(quantity)} is invalid, must be an integer"


def resource_warnings(resources: ResourceRequirements, path: FieldPath) -> Iterable[str]:
    """Warn about requests and limits of memory and storage that include a fraction of a byte."""
    for name in BYTES:
        yield from fraction_warnings(resources.limits, (name,), path.child("limits"))
        yield from fraction_warnings(resources.requests, (name,), path.child("requests"))


def env_warnings(variables: Sequence[EnvVar], path: FieldPath) -> Iterable[str]:
    """Warn about environment variables that hide an earlier variable of the same name without referring to it."""
    seen: set[str] = set()
    for index, variable in enumerate(variables):
        reference = f"$({variable.name})"
        extends = variable.valueFrom is None and reference in variable.value and variable.value != reference
        if variable.name in seen and not extends:
            name = quoted(variable.name)
            yield f"{path.item(index)}: hides previous definition of {name}, which may be dropped when using apply"
        seen.add(variable.name)


def port_warnings(spec: PodSpec, path: FieldPath) -> Iterable[str]:
    """Warn about container ports of a pod that conflict or are repeated."""
    ports = [
        (port, container_path.child("ports").item(index))
        for container, container_path in containers_with_paths(spec, path)
        for index, port in enumerate(container.ports)
    ]
    by_number: dict[tuple[int, str], list[tuple[ContainerPort, FieldPath]]] = {}
    for port, port_path in ports:
        if port.hostIP and port.hostPort == 0:
            yield f"{port_path}: hostIP set without hostPort: {_go_form(port)}"
        others = by_number.setdefault((port.containerPort, port.protocol), [])
        for other, other_path in others:
            if conflict := _conflict(port, other):
                yield f"{port_path}: {conflict} port definition with {other_path}"
        others.append((port, port_path))
    names: dict[str, FieldPath] = {}
    for port, port_path in ports:
        if port.name and (first := names.setdefault(port.name, port_path)) is not port_path:
            detail = f"duplicate port name {quoted(port.name)} with {first}"
            yield f"{port_path}: {detail}, services and probes that select ports by name will use {first}"


def _conflict(port: ContainerPort, other: ContainerPort) -> str:
    if port.hostIP == other.hostIP and port.hostPort == other.hostPort:
        return "duplicate"
    if port.hostPort == 0 or other.hostPort == 0:
        return "overlapping"
    if port.hostPort == other.hostPort and (port.hostIP == "") != (other.hostIP == ""):
        return "dangerously ambiguous"
    return ""


def _go_form(port: ContainerPort) -> str:
    return (
        f"{{Name:{port.name} HostPort:{port.hostPort} ContainerPort:{port.containerPort} "
        f"Protocol:{port.protocol} HostIP:{port.hostIP}}}"
    )
