"""Allocates IP addresses to pods to which Stages apply."""

from collections.abc import Iterator
from ipaddress import IPv4Network, IPv6Network, ip_network
from typing import Final

from memkube.controllers.framework.runtime import Runtime
from memkube.controllers.kubelet.addresses import PodAddresses
from memkube.registry.objects.stored import StoredObject

_WITHOUT_BLOCK: Final = "10.240.0.0/14"
"""Network of the pods on Nodes without ``podCIDR``. It precedes the pod networks of simulated nodes."""


class StagedPodAddresses:
    """Allocates IP addresses to pods from the pod networks of their nodes, until the pods are deleted."""

    def __init__(self, runtime: Runtime) -> None:
        self._pods = runtime.informers.of("", "v1", "pods")
        self._by_node = runtime.pods_by_node
        self._networks: dict[str, PodAddresses] = {}
        self._taken: dict[str, set[str]] = {}
        """Pod networks in which each pod has an address, by uid of the pod."""

    def of(self, uid: str, node: StoredObject | None) -> list[str]:
        """Return the IP addresses of the pod with this uid: one from each pod network of its node."""
        addresses = []
        for block in self._blocks(node):
            network = self._networks.get(block) or self._network(block, node)
            self._taken.setdefault(uid, set()).add(block)
            addresses.append(network.take(uid))
        return addresses

    def give_back(self, uid: str) -> None:
        """Free the IP addresses of a deleted pod."""
        for block in sorted(self._taken.pop(uid, ())):
            self._networks[block].give_back(uid)

    def _blocks(self, node: StoredObject | None) -> list[str]:
        spec = node.document["spec"] if node is not None else {}
        blocks = spec.get("podCIDRs") or ([spec["podCIDR"]] if spec.get("podCIDR") else [])
        return [block for block in blocks if _network_of(block)] or [_WITHOUT_BLOCK]

    def _network(self, block: str, node: StoredObject | None) -> PodAddresses:
        """Return a new pod network for `block`, a CIDR of the node, in which existing pods keep their addresses."""
        network = self._networks[block] = PodAddresses(_network_of(block) or ip_network(_WITHOUT_BLOCK))
        among = self._pods if node is None or block == _WITHOUT_BLOCK else self._by_node.on(node.name)
        for pod in among:
            for address in _addresses(pod):
                network.adopt(pod.uid, address)
            if network.has(pod.uid):
                self._taken.setdefault(pod.uid, set()).add(block)
        return network


def _network_of(block: str) -> IPv4Network | IPv6Network | None:
    try:
        return ip_network(block, strict=False)
    except ValueError:
        return None


def _addresses(pod: StoredObject) -> Iterator[str]:
    status = pod.document.get("status") or {}
    if pod.document["spec"].get("hostNetwork"):
        return
    yield from (each["ip"] for each in status.get("podIPs") or ())
    if not status.get("podIPs") and status.get("podIP"):
        yield status["podIP"]
