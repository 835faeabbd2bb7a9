"""The canonical form of the subsets of Endpoints (``pkg/api/v1/endpoints``), and their limit of 1000 addresses."""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from math import ceil
from typing import Any, Final, TypeAlias

from memkube.apimachinery.field_facts import go_package
from memkube.apimachinery.go_dump import dump_for_hash
from memkube.apimachinery.model import Document
from memkube.apis.core.v1 import GO_PACKAGE
from memkube.controllers.workloads.digest import fnv1a_128

_AddressKey: TypeAlias = tuple[str, str]
"""IP address of an endpoint, and uid of its target object."""
_Ready: TypeAlias = dict[_AddressKey, bool]
"""Addresses of endpoints that have the same port, each with True if the endpoint is ready."""
_PortKey: TypeAlias = tuple[Any, ...]
_NO_PORT: Final[_PortKey] = ()
_PORT_FIELDS: Final = ("name", "port", "protocol", "appProtocol")
_LISTS: Final = ("addresses", "notReadyAddresses")
MOST_ADDRESSES: Final = 1000
"""Maximum number of addresses in one Endpoints object."""


def repack(subsets: Sequence[Document]) -> list[Document]:
    """Return the same endpoints in as few subsets as possible, in Kubernetes' order.

    If an address is listed both as ready and as not ready for a port, it becomes not ready.
    """
    addresses: dict[_AddressKey, Document] = {}
    by_port: dict[_PortKey, _Ready] = {}
    for subset in subsets:
        ports = [_port_key(port) for port in subset.get("ports") or []] or [_NO_PORT]
        for port in ports:
            ready = by_port.setdefault(port, {})
            for name in _LISTS:
                for address in subset.get(name) or []:
                    key = address["ip"], (address.get("targetRef") or {}).get("uid", "")
                    addresses.setdefault(key, address)
                    ready[key] = ready.get(key, True) and name == "addresses"
    ports_by_addresses: dict[frozenset[tuple[_AddressKey, bool]], list[_PortKey]] = {}
    for port, ready in by_port.items():
        ports = ports_by_addresses.setdefault(frozenset(ready.items()), [])
        if port:
            ports.append(port)
    packed = [_subset(states, ports, addresses) for states, ports in ports_by_addresses.items()]
    return packed if len(packed) == 1 else sorted(packed, key=_subset_digest)


def _subset(
    states: frozenset[tuple[_AddressKey, bool]], ports: list[_PortKey], addresses: Mapping[_AddressKey, Document]
) -> Document:
    subset: Document = {}
    for name in _LISTS:
        listed = [addresses[key] for key, is_ready in states if is_ready == (name == "addresses")]
        if listed:
            subset[name] = sorted(listed, key=_address_order)
    if ports:
        subset["ports"] = [_port(key) for key in (ports if len(ports) == 1 else sorted(ports, key=_port_digest))]
    return subset


def _address_order(address: Document) -> tuple[bytes, bool, str]:
    target = address.get("targetRef")
    return address["ip"].encode(), target is not None, (target or {}).get("uid", "")


def _port_key(port: Document) -> _PortKey:
    return tuple(port.get(name) for name in _PORT_FIELDS)


def _port(key: _PortKey) -> Document:
    return {name: value for name, value in zip(_PORT_FIELDS, key, strict=True) if value is not None}


@lru_cache(maxsize=1024)
def _port_digest(key: _PortKey) -> int:
    return fnv1a_128(dump_for_hash(go_package(GO_PACKAGE), "EndpointPort", _port(key)).encode())


def _subset_digest(subset: Document) -> int:
    return fnv1a_128(dump_for_hash(go_package(GO_PACKAGE), "EndpointSubset", subset).encode())


def same_subsets(one: Sequence[Document], other: Sequence[Document]) -> bool:
    """True if two lists of subsets are equal. The resourceVersions of the endpoints' targets are not compared."""
    return [*map(_without_versions, one)] == [*map(_without_versions, other)]


def _without_versions(subset: Document) -> Document:
    lists = {name: [*map(_without_version, subset[name])] for name in _LISTS if subset.get(name)}
    return {**lists, "ports": subset.get("ports") or []}


def _without_version(address: Document) -> Document:
    target = address.get("targetRef")
    if not target or "resourceVersion" not in target:
        return address
    return {**address, "targetRef": {name: value for name, value in target.items() if name != "resourceVersion"}}


def is_over_capacity(subsets: Sequence[Document]) -> bool:
    """True if the subsets have more than 1000 addresses."""
    return _count(subsets, *_LISTS) > MOST_ADDRESSES


def truncate(subsets: Sequence[Document]) -> list[Document]:
    """Shorten subsets to at most 1000 addresses in total.

    Addresses are removed from all subsets in proportion to their sizes. Addresses that are not ready are removed first.
    """
    ready = _count(subsets, "addresses")
    name, total, most = "addresses", ready, MOST_ADDRESSES
    if ready <= MOST_ADDRESSES:
        name, total, most = "notReadyAddresses", _count(subsets, "notReadyAddresses"), MOST_ADDRESSES - ready
    return list(_shortened(subsets, name, total, most))


def _shortened(subsets: Sequence[Document], name: str, total: int, most: int) -> Iterator[Document]:
    left = most
    for subset in subsets:
        addresses = subset.get(name) or []
        kept = addresses[: min(ceil(len(addresses) / total * most), left)]
        left -= len(kept)
        shortened = {**subset, name: kept}
        if name == "addresses":
            shortened["notReadyAddresses"] = []
        yield {field: value for field, value in shortened.items() if value}


def _count(subsets: Sequence[Document], *names: str) -> int:
    return sum(len(subset.get(name) or []) for subset in subsets for name in names)
