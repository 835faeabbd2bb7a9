"""Addresses of the pods of one node."""

from heapq import heappop, heappush
from ipaddress import IPv4Network

_FIRST = 2
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

    def give_back(self, uid: str) -> None:
        """Frees the address of a pod."""
        number = self._taken.pop(uid, None)
        if number is not None:
            heappush(self._free, number)
