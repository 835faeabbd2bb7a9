"""The objects that every server begins with, in the order in which they are made."""

import logging
from collections.abc import Collection, Mapping, Sequence
from functools import cache, lru_cache, partial
from typing import Any, Final

from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.model import Document
from memkube.apis.apiregistration.v1.apiservices.local_services import local_api_services, local_condition
from memkube.apis.core.v1.namespaces.given import ACCOUNT, ANNOTATION, CERTIFICATE, DATA, DESCRIPTION
from memkube.apis.core.v1.namespaces.given import MANAGER as CONTROLLERS_MANAGER
from memkube.apis.scheduling.v1.priorityclasses.system_classes import system_classes
from memkube.registry.registry import Registry
from memkube.server.bootstrap.flow_control import create_flow_control_objects
from memkube.server.bootstrap.objects import NOW, Owned, Prepared, place, prepared
from memkube.server.bootstrap.service_network import ServerAddress, create_kubernetes_service, create_service_range
from memkube.time.clock import written_now

_LOGGER: Final = logging.getLogger("memkube")
_NAME_LABEL: Final = "kubernetes.io/metadata.name"
SYSTEM_NAMESPACES: Final = ("default", "kube-node-lease", "kube-public", "kube-system")


async def create_standing_objects(
    registry: Registry, address: ServerAddress | None = None, controllers: Collection[str] = ()
) -> None:
    """Makes what a new cluster has before anybody has asked for anything; `address` is where the server listens.

    What these controllers would begin with in its namespaces is there too, when they come.

    Each sort of objects has a function of its own, called here. One that admission refuses is left out with a line in
    the log, as the reference's controllers leave it.
    """
    sorts = (
        create_system_namespaces,
        partial(create_namespace_objects, controllers=controllers),
        create_flow_control_objects,
        create_service_range,
        partial(create_kubernetes_service, address=address),
        create_system_priority_classes,
        create_local_api_services,
        create_token_tracking,
    )
    for create_sort in sorts:
        try:
            await create_sort(registry)
        except ApiError as error:
            _LOGGER.warning("left out of what stands at start: %s", error)


async def create_system_namespaces(registry: Registry) -> None:
    """The namespaces that every cluster begins with (``pkg/controlplane/controller/systemnamespaces``)."""
    await place(registry, *_system_namespaces())


async def create_namespace_objects(registry: Registry, controllers: Collection[str]) -> None:
    """What the controllers ``service-account`` and ``root-ca`` would create in those namespaces."""
    given = [name for name in ("service-account", "root-ca") if name in controllers]
    await place(registry, *(objects[name] for objects in _namespace_objects() for name in given))


async def create_token_tracking(registry: Registry) -> None:
    """Since when it is known which old tokens are used (``pkg/controlplane/controller/legacytokentracking``)."""
    document = {
        "metadata": {"name": "kube-apiserver-legacy-service-account-token-tracking", "namespace": "kube-system"},
        "data": {"since": written_now(registry.clock)[: len("2006-01-02")]},
    }
    owned = Owned({"f:data": {".": {}, "f:since": {}}})
    await place(registry, prepared(("", "v1", "configmaps"), document, owned))


async def create_system_priority_classes(registry: Registry) -> None:
    """The classes of pods that the cluster cannot do without (``pkg/registry/scheduling/rest``)."""
    await place(registry, *_system_priority_classes())


async def create_local_api_services(registry: Registry) -> None:
    """What tells that the server itself serves its groups and versions (kube-aggregator's ``autoregister``)."""
    served = tuple((group, tuple(versions)) for group, versions in registry.catalog.groups().items())
    await place(registry, *_local_api_services(served))


@cache
def _system_namespaces() -> Sequence[Prepared]:
    owned = Owned({"f:metadata": {"f:labels": {".": {}, f"f:{_NAME_LABEL}": {}}}})
    return tuple(
        prepared(
            ("", "v1", "namespaces"),
            {
                "metadata": {"name": name, "labels": {_NAME_LABEL: name}},
                "spec": {"finalizers": ["kubernetes"]},
                "status": {"phase": "Active"},
            },
            owned,
        )
        for name in SYSTEM_NAMESPACES
    )


@cache
def _namespace_objects() -> Sequence[Mapping[str, Prepared]]:
    """What there is in each of those namespaces, by the controllers that would create it."""
    annotations: Document = {"f:annotations": {".": {}, f"f:{ANNOTATION}": {}}}
    owned = Owned({"f:data": {".": {}, **_fields(DATA)}, "f:metadata": annotations}, CONTROLLERS_MANAGER)
    made = []
    for namespace in SYSTEM_NAMESPACES:
        account = prepared(("", "v1", "serviceaccounts"), {"metadata": {"name": ACCOUNT, "namespace": namespace}})
        metadata = {"name": CERTIFICATE, "namespace": namespace, "annotations": {ANNOTATION: DESCRIPTION}}
        certificate = prepared(("", "v1", "configmaps"), {"metadata": metadata, "data": dict(DATA)}, owned)
        made.append({"service-account": account, "root-ca": certificate})
    return tuple(made)


@cache
def _system_priority_classes() -> Sequence[Prepared]:
    made = []
    for body in system_classes():
        metadata = {**body["metadata"], "generation": 1}
        document = {**body, "metadata": metadata, "preemptionPolicy": "PreemptLowerPriority"}
        made.append(prepared(("scheduling.k8s.io", "v1", "priorityclasses"), document, Owned(_fields(document))))
    return tuple(made)


@lru_cache(maxsize=4)
def _local_api_services(groups: Sequence[tuple[str, Sequence[str]]]) -> Sequence[Prepared]:
    status = {"conditions": [local_condition(NOW)]}
    made = []
    for body in local_api_services(dict(groups)):
        labels = {".": {}, **_fields(body["metadata"]["labels"])}
        owned = Owned({"f:metadata": {"f:labels": labels}, "f:spec": _fields(body["spec"])})
        name = ("apiregistration.k8s.io", "v1", "apiservices")
        made.append(prepared(name, {**body, "status": status}, owned))
    return tuple(made)


def _fields(values: Mapping[str, Any]) -> Document:
    """The fields of a struct, or the keys of a map, but for metadata."""
    return {f"f:{name}": {} for name in sorted(values) if name != "metadata"}
