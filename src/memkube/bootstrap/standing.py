"""The objects that every server begins with, in the order in which they are made."""

from typing import Final

from memkube.bootstrap.objects import create
from memkube.bootstrap.service_network import ServerAddress, create_kubernetes_service, create_service_range
from memkube.registry.registry import Registry

SYSTEM_NAMESPACES: Final = ("default", "kube-node-lease", "kube-public", "kube-system")


async def create_standing_objects(registry: Registry, address: ServerAddress | None = None) -> None:
    """Makes what a new cluster has before anybody has asked for anything; `address` is where the server listens.

    Each sort of objects has a function of its own, called here.
    """
    await create_system_namespaces(registry)
    await create_service_range(registry)
    await create_kubernetes_service(registry, address)


async def create_system_namespaces(registry: Registry) -> None:
    """The namespaces that every cluster begins with."""
    for name in SYSTEM_NAMESPACES:
        await create(registry, ("", "v1", "namespaces"), {"metadata": {"name": name}})
