"""Allocation and release of a service's cluster IPs and node ports.

Sources: ``pkg/registry/core/service/storage/storage.go`` and ``alloc.go``.
"""

from contextlib import suppress
from typing import Final

from memkube.apimachinery.errors import ApiError, internal_error, invalid, unclassified
from memkube.apimachinery.field_errors import FieldError, FieldPath
from memkube.apimachinery.field_errors import invalid as invalid_value
from memkube.apimachinery.meta.v1.delete_options import DeleteOptions
from memkube.apimachinery.shown_values import quoted
from memkube.apis.core.v1.services.cluster_addresses import AddressRefused, ClusterAddresses, RangeIsFull
from memkube.apis.core.v1.services.families import HEADLESS, infer_families, needs_cluster_ip
from memkube.apis.core.v1.services.node_ports import PortOperation, PortRefused
from memkube.apis.core.v1.services.types import Service, ServicePort
from memkube.registry.declarations.interface import Stores
from memkube.registry.declarations.request_options import WriteContext
from memkube.registry.objects.stored import StoredObject

_ADDRESSES: Final = FieldPath("spec").child("clusterIPs")
_PORTS: Final = FieldPath("spec").child("ports")


def may_have_node_ports(service: Service) -> bool:
    """True if the type of the service allows node ports: NodePort or LoadBalancer."""
    return service.spec.type in ("NodePort", "LoadBalancer")


def needs_health_check(service: Service) -> bool:
    """True if the service needs a health check node port: type LoadBalancer with external traffic policy Local."""
    return service.spec.type == "LoadBalancer" and service.spec.externalTrafficPolicy == "Local"


def node_ports(service: Service) -> list[int]:
    """Return the node ports in the service's list of ports. The health check node port is not in this list."""
    return [port.nodePort for port in service.spec.ports if port.nodePort]


def _needs_node_ports(service: Service) -> bool:
    """True if node ports are allocated for ports of the service that have none."""
    wanted = service.spec.allocateLoadBalancerNodePorts is not False
    return service.spec.type == "NodePort" or (service.spec.type == "LoadBalancer" and wanted)


class Allocation:
    """Cluster IPs and node ports that one write to a Service allocates.

    The caller must call `finish`, with True if the write succeeded and with False if it failed.
    """

    def __init__(self, stores: Stores, context: WriteContext) -> None:
        self._addresses = ClusterAddresses(stores, dry_run=context.dry_run)
        self._ports = PortOperation(stores.kind_services.node_ports, dry_run=context.dry_run)
        self._taken: list[str] = []
        self._released: list[str] = []

    async def create(self, service: Service) -> None:
        """Allocate the cluster IPs and node ports of a new service, and set them in the service.

        Raises ApiError if an allocation fails, after releasing all earlier allocations of this write.
        """
        spec = service.spec
        if spec.clusterIP and not spec.clusterIPs:
            spec.clusterIPs = [spec.clusterIP]
        _refuse(service, infer_families(service, None))
        try:
            if needs_cluster_ip(service):
                await self._take_address(service)
            if may_have_node_ports(service):
                await self._ports.look()
                await self._take_node_ports(service)
            if needs_health_check(service):
                await self._take_health_check_port(service)
        except BaseException:
            await self.finish(False)
            raise

    async def update(self, new: Service, old: Service) -> None:
        """Allocate the cluster IPs and node ports that an updated service needs.

        Fields that the client left empty are copied from the old service, if possible. Raises ApiError if an allocation
        fails, after releasing all earlier allocations of this write.
        """
        _keep_allocated(new, old)
        _normalize_cluster_ips(new, old)
        _refuse(new, infer_families(new, old))
        try:
            if needs_cluster_ip(new) and not needs_cluster_ip(old):
                await self._take_address(new)
            elif needs_cluster_ip(old) and not needs_cluster_ip(new):
                self._released = _allocated_addresses(old)
            if may_have_node_ports(new):
                await self._ports.look()
                await self._change_node_ports(new, old)
            elif may_have_node_ports(old):
                self._ports.release(node_ports(old))
            if needs_health_check(new) and not needs_health_check(old):
                await self._take_health_check_port(new)
            elif needs_health_check(old) and not needs_health_check(new):
                self._ports.release([old.spec.healthCheckNodePort])
        except BaseException:
            await self.finish(False)
            raise

    async def finish(self, done: bool) -> None:
        """End the allocation of one write.

        If the write succeeded (`done`), release the cluster IPs and node ports that the service no longer has;
        otherwise, release the newly allocated ones.
        """
        await self._ports.finish(done)
        await self._addresses.release(self._released if done else self._taken)

    async def _take_address(self, service: Service) -> None:
        """Allocate the cluster IP of a service. A service has at most one, because the cluster is single-stack."""
        spec = service.spec
        if spec.clusterIPs[:1] == [HEADLESS]:
            return
        chosen = spec.clusterIPs[0] if spec.clusterIPs else ""
        spec.clusterIPs = [chosen]
        try:
            if chosen:
                await self._addresses.take(chosen, service)
            address = chosen or await self._addresses.take_any(service)
        except RangeIsFull as error:
            why = f"failed to allocate a serviceIP for Service {quoted(service.metadata.name)}: {error}"
            raise internal_error(why) from None
        except AddressRefused as error:
            detail = f"failed to allocate IP {chosen}: {error}" if chosen else f"failed to allocate IP: {error}"
            raise _invalid(service, [invalid_value(_ADDRESSES, [chosen], detail)]) from None
        self._taken.append(address)
        spec.clusterIP, spec.clusterIPs = address, [address]

    async def _take_node_ports(self, service: Service) -> None:
        """Allocate the node ports of a service.

        Two ports with the same number but different protocols share one node port, unless the client chose different
        node ports.
        """
        had: dict[int, int] = {}
        for index, port in enumerate(service.spec.ports):
            if not port.nodePort and not _needs_node_ports(service):
                continue
            if port.port not in had:
                chosen = _chosen_node_port(port.port, service.spec.ports)
                port.nodePort = await self._take(service, index, chosen) if chosen else await self._take_any()
                had[port.port] = port.nodePort
            elif not port.nodePort:
                port.nodePort = had[port.port]
            elif port.nodePort != had[port.port]:
                await self._take(service, index, port.nodePort)

    async def _change_node_ports(self, new: Service, old: Service) -> None:
        before = node_ports(old)
        taken: set[int] = set()
        seen: set[tuple[str, int]] = set()
        for index, port in enumerate(new.spec.ports):
            if port.nodePort:
                if port.nodePort not in before and port.nodePort not in taken:
                    taken.add(await self._take(new, index, port.nodePort))
            elif _needs_node_ports(new):
                port.nodePort = await self._take_any()
            else:
                continue
            pair = (port.protocol, port.nodePort)
            if pair in seen:
                raise unclassified(f"duplicate nodePort: {{{port.protocol} {port.nodePort}}}")
            seen.add(pair)
        after = node_ports(new)
        self._ports.release([number for number in before if number not in after])

    async def _take(self, service: Service, index: int, number: int) -> int:
        try:
            await self._ports.take(number)
        except PortRefused as error:
            path = _PORTS.item(index).child("nodePort")
            raise _invalid(service, [invalid_value(path, number, str(error))]) from None
        return number

    async def _take_any(self) -> int:
        try:
            return await self._ports.take_any()
        except PortRefused as error:
            raise internal_error(f"failed to allocate a nodePort: {error}") from None

    async def _take_health_check_port(self, service: Service) -> None:
        chosen = service.spec.healthCheckNodePort
        try:
            if chosen:
                await self._ports.take(chosen)
            else:
                service.spec.healthCheckNodePort = await self._ports.take_any()
        except PortRefused as error:
            what = f"requested HealthCheck NodePort {chosen}" if chosen else "a HealthCheck NodePort 0"
            raise internal_error(f"failed to allocate {what}: {error}") from None


async def release_deleted(stores: Stores, last: StoredObject) -> None:
    """Release the cluster IPs and node ports of a deleted service, and delete its Endpoints.

    `last` is the service's last revision before its deletion.
    """
    service = Service.from_document(last.document)
    context = WriteContext(namespace=last.namespace, manager="kube-apiserver", admitted=True)
    with suppress(ApiError):
        await stores.find("", "v1", "endpoints").delete(last.name, DeleteOptions(), context)
    if needs_cluster_ip(service):
        await ClusterAddresses(stores).release(_allocated_addresses(service))
    ports = stores.kind_services.node_ports
    await ports.release(node_ports(service))
    if needs_health_check(service):
        await ports.release([service.spec.healthCheckNodePort])


def _allocated_addresses(service: Service) -> list[str]:
    return [text for text in service.spec.clusterIPs if text != HEADLESS]


def _chosen_node_port(number: int, ports: list[ServicePort]) -> int:
    return next((port.nodePort for port in ports if port.port == number and port.nodePort), 0)


def _keep_allocated(new: Service, old: Service) -> None:
    """Copy cluster IPs and node ports of the old service to fields that the client left empty.

    Source: ``patchAllocatedValues``.
    """
    if needs_cluster_ip(new) and needs_cluster_ip(old):
        new.spec.clusterIP = new.spec.clusterIP or old.spec.clusterIP
        new.spec.clusterIPs = new.spec.clusterIPs or list(old.spec.clusterIPs)
    if _needs_node_ports(new) and _needs_node_ports(old):
        used = set(node_ports(old)) & set(node_ports(new))
        before = {port.name: port.nodePort for port in old.spec.ports}
        for port in new.spec.ports:
            if not port.nodePort and before.get(port.name, 0) not in used:
                port.nodePort = before.get(port.name, 0)
    if needs_health_check(new) and needs_health_check(old):
        new.spec.healthCheckNodePort = new.spec.healthCheckNodePort or old.spec.healthCheckNodePort


def _normalize_cluster_ips(new: Service, old: Service) -> None:
    """Make clusterIP and clusterIPs consistent if the client changed only one of them (``normalizeClusterIPs``)."""
    spec, before = new.spec, old.spec
    if not spec.clusterIPs and spec.clusterIP == before.clusterIP:
        spec.clusterIPs = list(before.clusterIPs)
    if spec.clusterIP != before.clusterIP and spec.clusterIPs == before.clusterIPs:
        spec.clusterIPs = [spec.clusterIP] if spec.clusterIP else []


def _refuse(service: Service, errors: list[FieldError]) -> None:
    """Raise ApiError 422 with validation errors of a service, if there are any."""
    if errors:
        raise _invalid(service, errors)


def _invalid(service: Service, errors: list[FieldError]) -> ApiError:
    return invalid("", "Service", service.metadata.name, errors)
