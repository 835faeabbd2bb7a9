"""The addresses of a simulated node's pods."""

from heapq import heapify, heappop, heappush
from ipaddress import IPv4Network, ip_address
from typing import Final

from memkube.apimachinery.model import Document

_FIRST: Final = 2
"""The first address of a network is the network's, the second one the node's own."""


class PodAddresses:
    """Gives out the addresses of a network, the lowest free one each time."""

    def __init__(self, network: IPv4Network) -> None:
        self._network = network
        self._next = _FIRST
        self._free: list[int] = []
        self._taken: dict[str, int] = {}

    def take(self, uid: str) -> str:
        """The address of a pod, the same one each time it is asked for."""
        number = self._taken.get(uid)
        if number is None:
            if self._free:
                number = heappop(self._free)
            else:
                number, self._next = self._next, self._next + 1
            self._taken[uid] = number
        return str(self._network.network_address + number)

    def adopt(self, uid: str, address: str) -> None:
        """Leaves a pod the address that it has already; one of another network, or another pod's, is not its own."""
        if uid in self._taken:
            return
        try:
            number = int(ip_address(address)) - int(self._network.network_address)
        except ValueError:
            return
        if not _FIRST <= number < self._network.num_addresses or number in self._taken.values():
            return
        for skipped in range(self._next, number):
            heappush(self._free, skipped)
        if number < self._next:
            self._free.remove(number)
            heapify(self._free)
        self._next = max(self._next, number + 1)
        self._taken[uid] = number

    def saved(self) -> Document:
        """What is to be kept of it."""
        return {"next": self._next, "free": sorted(self._free), "taken": dict(self._taken)}

    def restore(self, saved: Document) -> None:
        """Takes over what was saved. Raises ValueError, TypeError and KeyError."""
        self._next, self._free, self._taken = saved["next"], list(saved["free"]), dict(saved["taken"])

    def give_back(self, uid: str) -> None:
        """Frees the address of a pod."""
        number = self._taken.pop(uid, None)
        if number is not None:
            heappush(self._free, number)
