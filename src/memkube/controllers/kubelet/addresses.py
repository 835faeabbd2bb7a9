"""Names and IP addresses of the pods on simulated nodes."""

from heapq import heapify, heappop, heappush
from ipaddress import IPv4Network, IPv6Network, ip_address
from typing import Final, NamedTuple

from memkube.apimachinery.model import Document

_FIRST: Final = 2
"""Offset of the first pod address in the node's network, after the network address and the node's own address."""


class PodKey(NamedTuple):
    """Namespace and name of a pod."""

    namespace: str
    name: str


class PodAddresses:
    """Allocates the IP addresses of one node's network to pods. A pod gets the lowest free address."""

    def __init__(self, network: IPv4Network | IPv6Network) -> None:
        self._network = network
        self._next = _FIRST
        self._free: list[int] = []
        self._taken: dict[str, int] = {}

    def take(self, uid: str) -> str:
        """Return the IP address of the pod with this uid. The first call for a pod allocates the address."""
        number = self._taken.get(uid)
        if number is None:
            if self._free:
                number = heappop(self._free)
            else:
                number, self._next = self._next, self._next + 1
            self._taken[uid] = number
        return str(self._network.network_address + number)

    def adopt(self, uid: str, address: str) -> None:
        """Reserve an address that a pod has already, if the address is in the network and no other pod has it."""
        if uid in self._taken:
            return
        try:
            found = ip_address(address)
        except ValueError:
            return
        number = int(found) - int(self._network.network_address)
        if (
            found.version != self._network.version
            or not _FIRST <= number < self._network.num_addresses
            or number in self._taken.values()
        ):
            return
        for skipped in range(self._next, number):
            heappush(self._free, skipped)
        if number < self._next:
            self._free.remove(number)
            heapify(self._free)
        self._next = max(self._next, number + 1)
        self._taken[uid] = number

    def has(self, uid: str) -> bool:
        """Return True if an address is allocated to the pod with this uid."""
        return uid in self._taken

    def saved(self) -> Document:
        """Return the allocated addresses as JSON data, for a snapshot."""
        return {"next": self._next, "free": sorted(self._free), "taken": dict(self._taken)}

    def restore(self, saved: Document) -> None:
        """Restore the addresses in `saved`, from a snapshot.

        Raises ValueError, TypeError or KeyError for malformed data.
        """
        self._next, self._free, self._taken = saved["next"], list(saved["free"]), dict(saved["taken"])

    def give_back(self, uid: str) -> None:
        """Free the address of a deleted pod for other pods."""
        number = self._taken.pop(uid, None)
        if number is not None:
            heappush(self._free, number)
