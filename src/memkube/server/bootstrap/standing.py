"""The initial objects that every server has, in the order in which they are stored."""

import logging
from collections.abc import Collection, Mapping, Sequence
from functools import cache, lru_cache, partial
from typing import Any, Final

from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.model import Document
from memkube.apimachinery.time import Time
from memkube.apis.apiregistration.v1.apiservices.local_services import local_api_services, local_condition
from memkube.apis.core.v1.namespaces.default_objects import (
    ACCOUNT,
    ANNOTATION,
    CERTIFICATE,
    CERTIFICATE_KEY,
    DESCRIPTION,
)
from memkube.apis.core.v1.namespaces.default_objects import MANAGER as CONTROLLERS_MANAGER
from memkube.apis.scheduling.v1.priorityclasses.system_classes import system_classes
from memkube.apis.storage.v1.classes import initial_class
from memkube.auth.authentication.options import AuthenticationOptions
from memkube.controllers.available import KUBELET, PROVISIONER, ROOT_CA, SERVICE_ACCOUNT
from memkube.registry.registry import Registry
from memkube.registry.writes.initial_objects import InitialObject, Owned
from memkube.server.bootstrap.flow_control import create_flow_control_objects
from memkube.server.service_network import ServiceNetwork, create_kubernetes_service, create_service_range
from memkube.time.clock import written_now

_LOGGER: Final = logging.getLogger("memkube")
_NAME_LABEL: Final = "kubernetes.io/metadata.name"
_DEFAULT_NETWORK: Final = ServiceNetwork()
SYSTEM_NAMESPACES: Final = ("default", "kube-node-lease", "kube-public", "kube-system")


async def create_standing_objects(
    registry: Registry,
    network: ServiceNetwork = _DEFAULT_NETWORK,
    controllers: Collection[str] = (),
    authentication: AuthenticationOptions | None = None,
) -> None:
    """Store the initial objects of a cluster, such as the system namespaces and the Service ``kubernetes``.

    Some of these objects, such as the default ServiceAccounts of the system namespaces, are created by controllers in a
    real cluster. They are stored only if their controller is one of `controllers`. `network` has the range of cluster
    IPs and the server's addresses. `authentication` says whether the ConfigMap about client certificates is needed. As
    in kube-apiserver, objects that are rejected are logged and skipped.
    """
    sorts = (
        create_system_namespaces,
        partial(create_namespace_objects, controllers=controllers),
        create_flow_control_objects,
        partial(create_service_range, network=network),
        partial(create_kubernetes_service, network=network),
        create_system_priority_classes,
        partial(create_storage_class, controllers=controllers),
        create_local_api_services,
        create_token_tracking,
        partial(create_authentication_trust, options=authentication),
    )
    for create_sort in sorts:
        try:
            await create_sort(registry)
        except ApiError as error:
            _LOGGER.warning("could not create an initial object: %s", error)


async def create_system_namespaces(registry: Registry) -> None:
    """Store the system namespaces (``pkg/controlplane/controller/systemnamespaces``)."""
    await registry.store_initial(*_system_namespaces())


async def create_namespace_objects(registry: Registry, controllers: Collection[str]) -> None:
    """Store the default ServiceAccount and the ConfigMap ``kube-root-ca.crt`` of each system namespace.

    Each is stored only if the controller that would create it is one of `controllers`.
    """
    given = [name for name in (SERVICE_ACCOUNT, ROOT_CA) if name in controllers]
    certificate = registry.kind_services.root_certificate
    await registry.store_initial(*(objects[name] for objects in _namespace_objects(certificate) for name in given))


async def create_token_tracking(registry: Registry) -> None:
    """Store the ConfigMap with the start date of legacy token tracking (``controller/legacytokentracking``)."""
    document = {
        "metadata": {"name": "kube-apiserver-legacy-service-account-token-tracking", "namespace": "kube-system"},
        "data": {"since": written_now(registry.clock)[: len("2006-01-02")]},
    }
    owned = Owned({"f:data": {".": {}, "f:since": {}}})
    await registry.store_initial(InitialObject(("", "v1", "configmaps"), document, [owned]))


async def create_authentication_trust(registry: Registry, options: AuthenticationOptions | None) -> None:
    """Store the ConfigMap ``extension-apiserver-authentication``, if clients may authenticate with certificates.

    In kube-apiserver, the controller ClusterAuthenticationTrust creates it.
    """
    if options is not None and options.authority_files:
        # pyOpenSSL is imported only if clients may have certificates, because importing takes time.
        from memkube.controllers.cluster_authentication_trust import NAME, NAMESPACE, AuthenticationTrust  # noqa: PLC0415

        data = AuthenticationTrust(options).combined({}, registry.clock.now())
        document = {"metadata": {"name": NAME, "namespace": NAMESPACE}, "data": data}
        owned = Owned({"f:data": {".": {}, **_fields(data)}})
        await registry.store_initial(InitialObject(("", "v1", "configmaps"), document, [owned]))


async def create_system_priority_classes(registry: Registry) -> None:
    """Store the PriorityClasses ``system-*-critical`` of system pods (``pkg/registry/scheduling/rest``)."""
    await registry.store_initial(*_system_priority_classes())


async def create_storage_class(registry: Registry, controllers: Collection[str]) -> None:
    """Store the default StorageClass if the running `controllers` include its provisioner and the kubelet."""
    if {KUBELET, PROVISIONER} <= set(controllers):
        await registry.store_initial(_storage_class())


async def create_local_api_services(registry: Registry) -> None:
    """Store the APIServices of the groups that this server serves itself (kube-aggregator ``autoregister``)."""
    groups = tuple((group, tuple(versions)) for group, versions in registry.catalog.groups.items())
    await registry.store_initial(*_local_api_services(groups, written_now(registry.clock)))


@cache
def _system_namespaces() -> Sequence[InitialObject]:
    owned = Owned({"f:metadata": {"f:labels": {".": {}, f"f:{_NAME_LABEL}": {}}}})
    return [
        InitialObject(
            ("", "v1", "namespaces"),
            {
                "metadata": {"name": name, "labels": {_NAME_LABEL: name}},
                "spec": {"finalizers": ["kubernetes"]},
                "status": {"phase": "Active"},
            },
            [owned],
        )
        for name in SYSTEM_NAMESPACES
    ]


@lru_cache(maxsize=4)
def _namespace_objects(certificate: str) -> Sequence[Mapping[str, InitialObject]]:
    """Return the objects of each system namespace, keyed by the name of the controller that would create them.

    `certificate` is the certificate in PEM by which clients verify the server.
    """
    annotations: Document = {"f:annotations": {".": {}, f"f:{ANNOTATION}": {}}}
    data = {CERTIFICATE_KEY: certificate}
    owned = Owned({"f:data": {".": {}, **_fields(data)}, "f:metadata": annotations}, CONTROLLERS_MANAGER)
    made = []
    for namespace in SYSTEM_NAMESPACES:
        account = InitialObject(("", "v1", "serviceaccounts"), {"metadata": {"name": ACCOUNT, "namespace": namespace}})
        metadata = {"name": CERTIFICATE, "namespace": namespace, "annotations": {ANNOTATION: DESCRIPTION}}
        config_map = InitialObject(("", "v1", "configmaps"), {"metadata": metadata, "data": data}, [owned])
        made.append({SERVICE_ACCOUNT: account, ROOT_CA: config_map})
    return made


@cache
def _storage_class() -> InitialObject:
    body = initial_class()
    annotations = {".": {}, **_fields(body["metadata"]["annotations"])}
    fields = {**_fields(body), "f:metadata": {"f:annotations": annotations}}
    return InitialObject(("storage.k8s.io", "v1", "storageclasses"), body, [Owned(dict(sorted(fields.items())))])


@cache
def _system_priority_classes() -> Sequence[InitialObject]:
    made = []
    for body in system_classes():
        metadata = {**body["metadata"], "generation": 1}
        document = {**body, "metadata": metadata, "preemptionPolicy": "PreemptLowerPriority"}
        made.append(InitialObject(("scheduling.k8s.io", "v1", "priorityclasses"), document, [Owned(_fields(document))]))
    return made


# Cached for test runs, in which several servers of one process start within the same second: their objects are equal,
# because times in objects are whole seconds.
@lru_cache(maxsize=1)
def _local_api_services(groups: tuple[tuple[str, tuple[str, ...]], ...], now: Time) -> Sequence[InitialObject]:
    status = {"conditions": [local_condition(now)]}
    made = []
    for body in local_api_services(dict(groups)):
        labels = {".": {}, **_fields(body["metadata"]["labels"])}
        owned = Owned({"f:metadata": {"f:labels": labels}, "f:spec": _fields(body["spec"])})
        name = ("apiregistration.k8s.io", "v1", "apiservices")
        made.append(InitialObject(name, {**body, "status": status}, [owned]))
    return made


def _fields(values: Mapping[str, Any]) -> Document:
    """Return the FieldsV1, for managedFields, of the keys in `values` (a struct or map), except ``metadata``."""
    return {f"f:{name}": {} for name in sorted(values) if name != "metadata"}
