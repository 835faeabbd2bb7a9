"""The ResourceClaim for a pod's extended resources (``dynamicresources/extendeddynamicresources.go``).

A pod can request devices as an extended resource of a DeviceClass. The scheduler then creates one ResourceClaim for all
extended resources that the chosen node does not offer itself.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

from memkube.apimachinery.model import Document
from memkube.apimachinery.quantity import Quantity

ANNOTATION: Final = "resource.kubernetes.io/extended-resource-claim"
_NANO: Final = 10**9


class ExtendedRequests(NamedTuple):
    """Device requests for a pod's extended resources, and which container uses which request."""

    requests: Sequence[Document]
    mappings: Sequence[Document]


class _Part(NamedTuple):
    """What one container needs of one extended resource: a device request, and the mappings for the pod's status."""

    request: Document | None
    """Request for additional devices; None if the devices of the containers that start later suffice."""
    mappings: list[Document]


def extended_requests(spec: Document, resources: Sequence[str], class_of: Callable[[str], str]) -> ExtendedRequests:
    """Return device requests for the extended `resources` of a pod.

    `class_of` takes the name of a resource, and returns the name of the DeviceClass that provides it; empty if none
    does.
    """
    requests: list[Document] = []
    mappings: list[Document] = []
    for resource in sorted(resources):
        class_name = class_of(resource)
        if class_name:
            for_resource = _of_resource(spec, resource, class_name)
            requests += for_resource.requests
            mappings += for_resource.mappings
    return ExtendedRequests(sorted(requests, key=lambda request: request["name"]), mappings)


def _of_resource(spec: Document, resource: str, class_name: str) -> ExtendedRequests:
    init_containers = spec.get("initContainers") or []
    containers = [*init_containers, *spec["containers"]]
    is_short = [
        index < len(init_containers) and container.get("restartPolicy") != "Always"
        for index, container in enumerate(containers)
    ]
    long_lived: list[Document | None] = [None] * len(containers)
    mappings: list[Document] = []
    for index, container in enumerate(containers):
        if not is_short[index]:
            part = _of_container(index, container, resource, class_name, ())
            long_lived[index] = part.request
            mappings += part.mappings
    largest, short_mappings = _of_short_lived(containers, is_short, long_lived, resource, class_name)
    found = [request for request in (largest, *long_lived) if request is not None]
    return ExtendedRequests(found, [*mappings, *short_mappings])


def _of_short_lived(
    containers: Sequence[Document],
    is_short: Sequence[bool],
    long_lived: Sequence[Document | None],
    resource: str,
    class_name: str,
) -> tuple[Document | None, list[Document]]:
    """Return the device request that all short-lived init containers share, and which container uses which request.

    Short-lived containers run one after another, so they can share devices. They can also use the devices of long-lived
    containers that start later. Therefore one request suffices: for the largest number of additional devices that one
    of them needs.

    `is_short` has True for each container that is short-lived, and `long_lived` the device request of each other
    container. `resource` is the extended resource, which the DeviceClass `class_name` provides.
    """
    largest: Document | None = None
    names: set[str] = set()
    mappings: list[Document] = []
    for index, container in enumerate(containers):
        if not is_short[index]:
            continue
        part = _of_container(index, container, resource, class_name, long_lived[index:])
        if part.request is not None:
            names.add(part.request["name"])
            if largest is None or _count(largest) < _count(part.request):
                largest = part.request
        mappings += part.mappings
    if largest is not None:
        for mapping in mappings:
            if mapping["requestName"] in names:
                mapping["requestName"] = largest["name"]
    return largest, mappings


def _of_container(
    index: int, container: Document, resource: str, class_name: str, reusable: Sequence[Document | None]
) -> _Part:
    requested: Mapping[str, str] = (container.get("resources") or {}).get("requests") or {}
    nano = Quantity(requested[resource]).nano if resource in requested else 0
    mappings: list[Document] = []
    if not nano or nano % _NANO:
        return _Part(None, mappings)
    wanted, reused = nano // _NANO, 0

    def use(request: str) -> None:
        mappings.append({"containerName": container["name"], "resourceName": resource, "requestName": request})

    for request in reusable:
        if request is not None:
            reused += _count(request)
            use(request["name"])
            if reused >= wanted:
                return _Part(None, mappings)
    name = f"container-{index}-request-{sorted(requested).index(resource)}"
    use(name)
    exactly = {"deviceClassName": class_name, "allocationMode": "ExactCount", "count": wanted - reused}
    return _Part({"name": name, "exactly": exactly}, mappings)


def _count(request: Document) -> int:
    count: int = request["exactly"]["count"]
    return count
