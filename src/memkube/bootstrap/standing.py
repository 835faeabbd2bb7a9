"""The objects that every server begins with, in the order in which they are made."""

import logging
from functools import partial
from typing import Final

from memkube.apimachinery.errors import ApiError
from memkube.bootstrap.objects import create
from memkube.bootstrap.service_network import ServerAddress, create_kubernetes_service, create_service_range
from memkube.registry.registry import Registry

_LOGGER: Final = logging.getLogger("memkube")
SYSTEM_NAMESPACES: Final = ("default", "kube-node-lease", "kube-public", "kube-system")


async def create_standing_objects(registry: Registry, address: ServerAddress | None = None) -> None:
    """Makes what a new cluster has before anybody has asked for anything; `address` is where the server listens.

    Each sort of objects has a function of its own, called here. One that admission refuses is left out with a line in
    the log, as the reference's controllers leave it.
    """
    sorts = (create_system_namespaces, create_service_range, partial(create_kubernetes_service, address=address))
    for create_sort in sorts:
        try:
            await create_sort(registry)
        except ApiError as error:
            _LOGGER.warning("left out of what stands at start: %s", error)


async def create_system_namespaces(registry: Registry) -> None:
    """The namespaces that every cluster begins with."""
    for name in SYSTEM_NAMESPACES:
        await create(registry, ("", "v1", "namespaces"), {"metadata": {"name": name}})
