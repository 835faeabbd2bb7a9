"""Allocation of cluster IPs as IPAddress objects from the ranges of ServiceCIDRs.

Sources: ``pkg/registry/core/service/ipallocator/cidrallocator.go`` and ``ipallocator.go``.
"""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network
from typing import Final

from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.ip_addresses import parse_cidr, parse_unmapped_ip
from memkube.apimachinery.meta.v1.delete_options import DeleteOptions
from memkube.apimachinery.model import Document
from memkube.apimachinery.random_values import RandomValues
from memkube.apis.core.v1.services.types import Service
from memkube.apis.networking.v1.ipaddresses.types import IPAddress
from memkube.registry.declarations.interface import ObjectStore, Stores
from memkube.registry.declarations.request_options import EVERYTHING, WriteContext

FAMILY: Final = "IPv4"
"""IP family of all cluster IPs. The cluster is single-stack."""
_GROUP: Final = ("networking.k8s.io", "v1")
_MANAGER: Final = "kube-apiserver"
_LABELS: Final = {
    "ipaddress.kubernetes.io/ip-family": FAMILY,
    "ipaddress.kubernetes.io/managed-by": "ipallocator.k8s.io",
}
_FEWEST_STATIC: Final = 16
_MOST_STATIC: Final = 256
_STATIC_SHARE: Final = 16


class AddressRefused(Exception):
    """Raised if a cluster IP cannot be allocated; the message equals kube-apiserver's."""


class RangeIsFull(AddressRefused):
    """Raised if all addresses of all ServiceCIDRs are allocated."""

    def __init__(self) -> None:
        super().__init__("range is full")


@dataclass(frozen=True, slots=True)
class _Range:
    """An IPv4 range of a ServiceCIDR; its network and broadcast addresses are not allocated."""

    network: IPv4Network
    ready: bool

    def __contains__(self, address: IPv4Address) -> bool:
        return address in self.network and address not in (
            self.network.network_address,
            self.network.broadcast_address,
        )

    def addresses(self, random_values: RandomValues) -> Iterator[IPv4Address]:
        """Yield all addresses of the range in the order of allocation, beginning at a random address.

        The addresses that are reserved for clients which choose an address come last.
        """
        count = self.network.num_addresses
        usable = max(count - 2, 0)
        static = 0 if count <= _FEWEST_STATIC else min(max(count // _STATIC_SHARE, _FEWEST_STATIC), _MOST_STATIC)
        for first, length in ((1 + static, usable - static), (1, static)):
            start = random_values.below(length) if length else 0
            yield from (self.network[first + (start + step) % length] for step in range(length))


class ClusterAddresses:
    """Allocates and releases cluster IPs.

    In a dry run, nothing is allocated, so another service may use the returned address.
    """

    def __init__(self, stores: Stores, *, dry_run: bool = False) -> None:
        self._stores = stores
        self._dry_run = dry_run

    async def take(self, text: str, service: Service) -> None:
        """Allocate the address that a client chose for a service.

        Raises AddressRefused if the address is taken, or not in the range of a ready ServiceCIDR.
        """
        address = parse_unmapped_ip(text)
        assert isinstance(address, IPv4Address)
        ranges = await self._ranges()
        if self._dry_run:
            _check_dry_run(address, ranges)
            return
        if not any(r.ready and address in r for r in ranges):
            raise AddressRefused("the provided network does not match the current range")
        if not await self._created(address, service):
            raise AddressRefused("provided IP is already allocated")

    async def take_any(self, service: Service) -> str:
        """Allocate a random free address for `service` and return it. Raises AddressRefused if all are taken."""
        ranges = await self._ranges()
        if self._dry_run:
            if not ranges or not ranges[0].ready:
                raise AddressRefused("allocator not ready")
            return str(ranges[0].network.network_address)
        store = self._store("ipaddresses")
        for cidr in ranges:
            for address in cidr.addresses(self._stores.kind_services.random_values) if cidr.ready else ():
                if not await _exists(store, str(address)) and await self._created(address, service):
                    return str(address)
        raise RangeIsFull

    async def release(self, texts: list[str]) -> None:
        """Release the cluster IPs in `texts`. Addresses that are not allocated are ignored."""
        if self._dry_run:
            return
        store = self._store("ipaddresses")
        for text in texts:
            with suppress(ApiError):
                await store.delete(str(parse_unmapped_ip(text)), DeleteOptions(), WriteContext(manager=_MANAGER))

    def _store(self, plural: str) -> ObjectStore:
        return self._stores.find(*_GROUP, plural)

    async def _ranges(self) -> list[_Range]:
        stored = (await self._store("servicecidrs").list("", EVERYTHING)).items
        return [found for service_cidr in stored for found in _ranges_of(service_cidr.document)]

    async def _created(self, address: IPv4Address, service: Service) -> bool:
        """Create the IPAddress object that allocates an address to a service.

        Returns False if the object exists already. Raises AddressRefused for any other failure.
        """
        parent = {"resource": "services", "namespace": service.metadata.namespace, "name": service.metadata.name}
        document = {"metadata": {"name": str(address), "labels": dict(_LABELS)}, "spec": {"parentRef": parent}}
        taken = IPAddress.from_document(document)
        try:
            await self._store("ipaddresses").create(taken, WriteContext(manager=_MANAGER))
        except ApiError as error:
            if error.reason == "AlreadyExists":
                return False
            raise AddressRefused(error.message) from None
        return True


def _ranges_of(service_cidr: Document) -> Iterator[_Range]:
    """Yield the IPv4 ranges of a ServiceCIDR, each with a flag that is True if it is ready.

    It is not ready if the Ready condition of the ServiceCIDR is not True, or if the ServiceCIDR is terminating.
    """
    conditions = service_cidr["status"].get("conditions") or []
    states = [condition["status"] for condition in conditions if condition["type"] == "Ready"]
    terminating = "deletionTimestamp" in service_cidr["metadata"]
    ready = not terminating and (not states or states[0] == "True")
    for text in service_cidr["spec"].get("cidrs") or []:
        block = parse_cidr(text)
        if block is not None and block.is_ipv4:
            yield _Range(IPv4Network(str(block)), ready)


def _check_dry_run(address: IPv4Address, ranges: list[_Range]) -> None:
    """Raise AddressRefused if the address is in no ready range.

    In a dry run, kube-apiserver checks only a random range; memkube checks the range that contains the address, or else
    the first range.
    """
    asked = next((r for r in ranges if address in r), ranges[0] if ranges else None)
    if asked is None or not asked.ready:
        raise AddressRefused("allocator not ready")
    if address not in asked:
        allowed = f"The range of valid IPs is {asked.network}"
        raise AddressRefused(f"the provided IP ({address}) is not in the valid range. {allowed}")


async def _exists(store: ObjectStore, name: str) -> bool:
    try:
        await store.get("", name)
    except ApiError:
        return False
    return True
