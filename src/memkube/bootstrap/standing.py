"""The objects that every server begins with, in the order in which they are made."""

import logging
from typing import Final

from memkube.apimachinery.errors import ApiError
from memkube.apis.apiregistration.v1.apiservices.local_services import local_api_services
from memkube.apis.scheduling.v1.priorityclasses.system_classes import system_class_documents
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
    await create_system_priority_classes(registry)
    await create_local_api_services(registry)


async def create_system_namespaces(registry: Registry) -> None:
    """The namespaces that every cluster begins with, unless admission forbids them (``systemnamespaces``)."""
    for name in SYSTEM_NAMESPACES:
        try:
            await create(registry, ("", "v1", "namespaces"), {"metadata": {"name": name}})
        except ApiError as error:
            _LOGGER.warning("unable to create required kubernetes system Namespace %s: %s", name, error)


async def create_system_priority_classes(registry: Registry) -> None:
    """The classes of pods that the cluster cannot do without (``pkg/registry/scheduling/rest``)."""
    for document in system_class_documents():
        await create(registry, ("scheduling.k8s.io", "v1", "priorityclasses"), document)


async def create_local_api_services(registry: Registry) -> None:
    """What tells that the server itself serves its groups and versions (kube-aggregator's ``autoregister``)."""
    for document in local_api_services(registry.catalog.groups()):
        await create(registry, ("apiregistration.k8s.io", "v1", "apiservices"), document)
