"""The objects that every server begins with, in the order in which they are made."""

import logging
from typing import Final

from memkube.apimachinery.errors import ApiError
from memkube.bootstrap.objects import create
from memkube.bootstrap.service_network import ServerAddress, create_kubernetes_service, create_service_range
from memkube.registry.registry import Registry

_LOGGER: Final = logging.getLogger("memkube")
SYSTEM_NAMESPACES: Final = ("default", "kube-node-lease", "kube-public", "kube-system")


async def create_standing_objects(registry: Registry, address: ServerAddress | None = None) -> None:
    """Makes what a new cluster has before anybody has asked for anything; `address` is where the server listens.

    Each sort of objects has a function of its own, called here.
    """
    await create_system_namespaces(registry)
    await create_service_range(registry)
    await create_kubernetes_service(registry, address)


async def create_system_namespaces(registry: Registry) -> None:
    """The namespaces that every cluster begins with, unless admission forbids them (``systemnamespaces``)."""
    for name in SYSTEM_NAMESPACES:
        try:
            await create(registry, ("", "v1", "namespaces"), {"metadata": {"name": name}})
        except ApiError as error:
            _LOGGER.warning("unable to create required kubernetes system Namespace %s: %s", name, error)
