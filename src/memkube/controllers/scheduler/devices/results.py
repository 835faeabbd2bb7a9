"""Allocations for the status of ResourceClaims, made from the devices that a search has chosen."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from memkube.apimachinery.model import Document
from memkube.controllers.scheduler.devices.pools import OfferedDevice
from memkube.controllers.scheduler.devices.requests import DeviceRequest
from memkube.controllers.scheduler.node_term import NODE_NAME


class Chosen(NamedTuple):
    """A device that was chosen for a device request."""

    request: DeviceRequest
    offered: OfferedDevice
    share: str
    """Uid of the allocated share of a device that allows several allocations; otherwise empty."""
    consumed: Mapping[str, str]
    """Amounts of the device's capacities that the share consumes, by name."""


class Solution(NamedTuple):
    """Result of a search for devices. Each list has one item per ResourceClaim."""

    specs: Sequence[Document]
    requests: Sequence[Sequence[tuple[DeviceRequest, Document]]]
    """The chosen alternative of each device request of a ResourceClaim, with its DeviceClass."""
    chosen: Sequence[Sequence[Chosen]]


def allocation_results(solution: Solution, node: str) -> list[Document]:
    """Return the ``status.allocation`` for each ResourceClaim in `solution`, the devices found on the node `node`."""
    allocations = []
    for spec, requests, chosen in zip(*solution, strict=True):
        devices: Document = {"results": [_result(one) for one in chosen]}
        configurations = [*_of_classes(requests), *_of_claim(spec, [request for request, _ in requests])]
        if configurations:
            devices["config"] = configurations
        allocation: Document = {"devices": devices}
        selector = _node_selector(chosen, node)
        if selector is not None:
            allocation["nodeSelector"] = selector
        allocations.append(allocation)
    return allocations


def _result(chosen: Chosen) -> Document:
    request, device_id, device = chosen.request, chosen.offered.id, chosen.offered.device
    optional = {
        "adminAccess": request.has_admin_access,
        "tolerations": list(request.tolerations),
        "bindingConditions": device.get("bindingConditions"),
        "bindingFailureConditions": device.get("bindingFailureConditions"),
        "shareID": chosen.share,
        "consumedCapacity": dict(chosen.consumed),
    }
    return {
        "request": request.full_name,
        "driver": device_id.driver,
        "pool": device_id.pool,
        "device": device_id.name,
        **{name: value for name, value in optional.items() if value},
    }


def _of_classes(requests: Sequence[tuple[DeviceRequest, Document]]) -> list[Document]:
    """Return the driver configurations of DeviceClasses, each with the names of the requests for that class."""
    by_class: dict[str, list[Document]] = {}
    for request, device_class in requests:
        name = device_class["metadata"]["name"]
        if name in by_class:
            for config in by_class[name]:
                config["requests"].append(request.full_name)
            continue
        given = device_class["spec"].get("config") or ()
        by_class[name] = [{"source": "FromClass", "requests": [request.full_name], **config} for config in given]
    return [config for configs in by_class.values() for config in configs]


def _of_claim(spec: Document, requests: Sequence[DeviceRequest]) -> Iterator[Document]:
    """Yield the driver configurations in the spec of a ResourceClaim.

    As in kube-scheduler, a configuration for several requests is repeated for each of them.
    """
    for config in spec["devices"].get("config") or ():
        wanted = config.get("requests") or ()
        if not wanted:
            yield {"source": "FromClaim", **config}
        for request in requests:
            if request.base_name in wanted or (request.parent and request.full_name in wanted):
                yield {"source": "FromClaim", **config}


def _node_selector(chosen: Sequence[Chosen], node: str) -> Document | None:
    """Return the selector of the nodes on which all chosen devices are available; None if they are on all nodes."""
    term: dict[str, list[Document]] = {"matchFields": [], "matchExpressions": []}
    for one in chosen:
        device, spec = one.offered.device, one.offered.slice
        where = device if spec.get("perDeviceNodeSelection") else spec
        if where.get("nodeName") is not None or device.get("bindsToNode"):
            field = {"key": NODE_NAME, "operator": "In", "values": [node]}
            return {"nodeSelectorTerms": [{"matchFields": [field]}]}
        for given in (where.get("nodeSelector") or {}).get("nodeSelectorTerms") or ():
            for kind, requirements in term.items():
                _add_new(given.get(kind) or (), requirements)
    term = {kind: requirements for kind, requirements in term.items() if requirements}
    return {"nodeSelectorTerms": [term]} if term else None


def _add_new(given: Sequence[Document], requirements: list[Document]) -> None:
    known = [_identity(one) for one in requirements]
    requirements.extend(one for one in given if _identity(one) not in known)


def _identity(requirement: Document) -> tuple[str, str, frozenset[str]]:
    return requirement["key"], requirement["operator"], frozenset(requirement.get("values") or ())
