"""The downward API: what a container is told of its own pod (``pkg/fieldpath``)."""

import re
from collections.abc import Mapping
from typing import Final

from memkube.apimachinery.quantity import Quantity
from memkube.apimachinery.shown_values import quoted
from memkube.apis.core.v1.podspec.types.containers import Container, EphemeralContainer
from memkube.apis.core.v1.podspec.types.env import ResourceFieldSelector
from memkube.controllers.kubelet.surroundings import NotConfigured, Surroundings

_SUBSCRIPT: Final = re.compile(r"metadata\.(annotations|labels)\['(.*)'\]")
_NANO: Final = 10**9


def pod_field(path: str, surroundings: Surroundings) -> str:
    """The value of a field of the pod. Raises NotConfigured."""
    pod = surroundings.pod
    if found := _SUBSCRIPT.fullmatch(path):
        values: Mapping[str, str] = getattr(pod.metadata, found[1])
        return values.get(found[2], "")
    match path:
        case "metadata.name":
            return pod.metadata.name
        case "metadata.namespace":
            return pod.metadata.namespace
        case "metadata.uid":
            return pod.metadata.uid
        case "metadata.labels":
            return _lines(pod.metadata.labels)
        case "metadata.annotations":
            return _lines(pod.metadata.annotations)
        case "spec.nodeName" | "spec.host":
            return pod.spec.nodeName
        case "spec.serviceAccountName":
            return pod.spec.serviceAccountName
        case "status.hostIP" | "status.hostIPs":
            return surroundings.host_ip
        case "status.podIP" | "status.podIPs":
            return surroundings.pod_ip
    raise NotConfigured(f"unsupported fieldPath: {path}")


def container_resource(
    selector: ResourceFieldSelector, container: Container | EphemeralContainer, surroundings: Surroundings
) -> str:
    """A request or limit, as a multiple of the divisor, rounded up. Raises NotConfigured."""
    if selector.containerName:
        spec = surroundings.pod.spec
        named = [c for c in (*spec.containers, *spec.initContainers) if c.name == selector.containerName]
        if not named:
            raise NotConfigured(f"container {selector.containerName} not found")
        container = named[0]
    kind, _, resource = selector.resource.partition(".")
    amounts = container.resources.limits if kind == "limits" else container.resources.requests
    amount = amounts.get(resource)
    if amount is None and kind == "limits" and resource in surroundings.allocatable:
        amount = Quantity.parse(surroundings.allocatable[resource])
    divisor = selector.divisor.nano or _NANO
    return str(-(-(amount.nano if amount is not None else 0) // divisor))


def _lines(values: Mapping[str, str]) -> str:
    return "\n".join(f"{key}={quoted(values[key])}" for key in sorted(values))
