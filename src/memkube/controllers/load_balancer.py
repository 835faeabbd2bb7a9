"""Simulated load balancers: addresses for Services of type LoadBalancer, and for Ingresses.

Services are treated as by ``service-lb-controller`` of kube-controller-manager with a cloud provider
(``k8s.io/cloud-provider/controllers/service``). The addresses are reserved for documentation (RFC 5737), and no server
listens on them.
"""

from functools import partial
from ipaddress import IPv4Network
from typing import Final, NamedTuple

from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.model import Document
from memkube.apis.core.v1.services.types import LoadBalancerIngress, Service
from memkube.apis.networking.v1.ingresses.types import Ingress, IngressLoadBalancerIngress
from memkube.controllers.framework.client import ignoring_absence
from memkube.controllers.framework.event_recorder import EventRecorder, Report
from memkube.controllers.framework.informer import ResourceName
from memkube.controllers.framework.runtime import Runtime
from memkube.controllers.framework.work_queue import Retries, TryAgain
from memkube.controllers.workloads.pod_state import is_terminating
from memkube.registry.objects.stored import StoredObject

_SERVICES: Final = ResourceName("", "v1", "services")
_INGRESSES: Final = ResourceName("networking.k8s.io", "v1", "ingresses")
_CLASSES: Final = ResourceName("networking.k8s.io", "v1", "ingressclasses")
_NODES: Final = ResourceName("", "v1", "nodes")
_RETRIES: Final = Retries(first_delay=5.0, longest_delay=300.0)
_FINALIZER: Final = "service.kubernetes.io/load-balancer-cleanup"
_NETWORK: Final = IPv4Network("203.0.113.0/24")
_INGRESS_ADDRESS: Final = "192.0.2.1"
"""IP address of all Ingresses, which share one load balancer."""
INGRESS_CONTROLLER: Final = "memkube.dev/ingress"
"""``spec.controller`` of IngressClasses whose Ingresses get an address from this controller."""
_CLASS_ANNOTATION: Final = "kubernetes.io/ingress.class"
_ENSURING: Final = Report("Normal", "EnsuringLoadBalancer", "Ensuring load balancer")
_ENSURED: Final = Report("Normal", "EnsuredLoadBalancer", "Ensured load balancer")
_DELETING: Final = Report("Normal", "DeletingLoadBalancer", "Deleting load balancer")
_DELETED: Final = Report("Normal", "DeletedLoadBalancer", "Deleted load balancer")
_NO_NODES: Final = Report("Warning", "UnAvailableLoadBalancer", "There are no available nodes for LoadBalancer")


class _Key(NamedTuple):
    """Key in the controller's work queue: a Service or an Ingress."""

    resource: ResourceName
    namespace: str
    name: str


class LoadBalancerController:
    """Gives each Service of type LoadBalancer an address of its own, and all Ingresses one shared address.

    Services with a ``loadBalancerClass``, and Ingresses whose IngressClass names another controller, are ignored.
    """

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._client = runtime.client_of("cloud-controller-manager")
        self._events = EventRecorder(runtime, "service-controller")
        self._queue = runtime.queue("service", self._sync, retries=_RETRIES)
        self._addresses: dict[str, str] = {}
        """Address of each Service, by uid."""
        self._classes = runtime.informers.of(*_CLASSES)
        self._nodes = runtime.informers.of(*_NODES)
        for resource in (_SERVICES, _INGRESSES):
            runtime.informers.of(*resource).subscribe(partial(self._on_object, resource))
        self._classes.subscribe(self._on_class)

    def _on_object(self, resource: ResourceName, old: StoredObject | None, new: StoredObject | None) -> None:
        if new is None:
            assert old is not None
            self._addresses.pop(old.uid, None)
            return
        if resource is _SERVICES and _wants_balancer(new):
            for ingress in new.document["status"].get("loadBalancer", {}).get("ingress") or []:
                self._addresses.setdefault(new.uid, ingress.get("ip", ""))
        self._queue.add(_Key(resource, new.namespace, new.name))

    def _on_class(self, _: StoredObject | None, __: StoredObject | None) -> None:
        for stored in self._runtime.informers.of(*_INGRESSES):
            self._queue.add(_Key(_INGRESSES, stored.namespace, stored.name))

    async def _sync(self, key: _Key) -> None:
        stored = self._runtime.informers.of(*key.resource).get(key.namespace, key.name)
        if stored is None:
            return
        with ignoring_absence():
            if key.resource is _INGRESSES:
                await self._sync_ingress(stored)
            elif _wants_balancer(stored) and not is_terminating(stored):
                await self._ensure(stored)
            elif _FINALIZER in (stored.document["metadata"].get("finalizers") or ()):
                await self._clean_up(stored)

    async def _ensure(self, service: StoredObject) -> None:
        """Add the finalizer to a Service, and write an address into its status.

        Raises TryAgain if no address is free, or the requested one is in use.
        """
        metadata, status = service.document["metadata"], service.document["status"]
        known = [ingress.get("ip") for ingress in status.get("loadBalancer", {}).get("ingress") or []]
        has_finalizer = _FINALIZER in (metadata.get("finalizers") or ())
        if has_finalizer and known and known == [self._addresses.get(service.uid)]:
            return
        await self._events.record(service, _ENSURING)
        resource = self._runtime.registry.find(*_SERVICES).resource
        await self._client.update(resource, service, _add_finalizer)
        if not any(True for _ in self._nodes):
            await self._events.record(service, _NO_NODES)
        try:
            address = self._addresses[service.uid] = self._free_address(service)
        except LookupError as error:
            message = f"Error syncing load balancer: failed to ensure load balancer: {error.args[0]}"
            await self._events.record(service, Report("Warning", "SyncLoadBalancerFailed", message))
            raise TryAgain from error
        await self._events.record(service, _ENSURED)
        await self._client.update(resource, service, partial(_set_address, address), subresource="status")

    def _free_address(self, service: StoredObject) -> str:
        """Return the address that the Service requests or already has, or else a free address.

        Raises LookupError if the requested address is in use, or no address is free.
        """
        taken = {address for uid, address in self._addresses.items() if uid != service.uid}
        asked: str = service.document["spec"].get("loadBalancerIP", "")
        if asked in taken:
            raise LookupError(f"address {asked} is in use")
        known = asked or self._addresses.get(service.uid, "")
        if known and known not in taken:
            return known
        for address in map(str, _NETWORK.hosts()):
            if address not in taken:
                return address
        raise LookupError(f"all addresses of {_NETWORK} are in use")

    async def _clean_up(self, service: StoredObject) -> None:
        """Remove the address and the finalizer from a Service that no longer needs a load balancer."""
        resource = self._runtime.registry.find(*_SERVICES).resource
        await self._events.record(service, _DELETING)
        self._addresses.pop(service.uid, None)
        await self._client.update(resource, service, partial(_set_address, ""), subresource="status")
        await self._client.update(resource, service, _remove_finalizer)
        await self._events.record(service, _DELETED)

    async def _sync_ingress(self, ingress: StoredObject) -> None:
        balancer: Document = ingress.document["status"].get("loadBalancer", {})
        if is_terminating(ingress) or not self._is_balanced(ingress) or balancer.get("ingress"):
            return
        resource = self._runtime.registry.find(*_INGRESSES).resource
        await self._client.update(resource, ingress, _set_ingress_address, subresource="status")

    def _is_balanced(self, ingress: StoredObject) -> bool:
        """True if an Ingress has no class, or an IngressClass that names this controller."""
        annotations = ingress.document["metadata"].get("annotations") or {}
        name = ingress.document["spec"].get("ingressClassName") or annotations.get(_CLASS_ANNOTATION, "")
        if not name:
            return True
        known = self._classes.get("", name)
        return known is not None and known.document["spec"].get("controller") == INGRESS_CONTROLLER


def _wants_balancer(service: StoredObject) -> bool:
    spec = service.document["spec"]
    return spec.get("type") == "LoadBalancer" and spec.get("loadBalancerClass") is None


def _add_finalizer(obj: ApiObject) -> None:
    if _FINALIZER not in obj.metadata.finalizers:
        obj.metadata.finalizers = [*obj.metadata.finalizers, _FINALIZER]


def _remove_finalizer(obj: ApiObject) -> None:
    obj.metadata.finalizers = [name for name in obj.metadata.finalizers if name != _FINALIZER]


def _set_address(address: str, obj: ApiObject) -> None:
    assert isinstance(obj, Service)
    obj.status.loadBalancer.ingress = [LoadBalancerIngress(ip=address, ipMode="VIP")] if address else []


def _set_ingress_address(obj: ApiObject) -> None:
    assert isinstance(obj, Ingress)
    obj.status.loadBalancer.ingress = [IngressLoadBalancerIngress(ip=_INGRESS_ADDRESS)]
