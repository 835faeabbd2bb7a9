from typing import ClassVar, Final

from memkube.apimachinery.field_errors import FieldPath
from memkube.apimachinery.ip_addresses import cidr_warnings, ip_warnings
from memkube.apimachinery.shown_values import quoted
from memkube.apimachinery.time import Time
from memkube.apis.core.v1.services.allocation import (
    Allocation,
    may_have_node_ports,
    needs_health_check,
    node_ports,
    release_deleted,
)
from memkube.apis.core.v1.services.families import EXTERNAL_NAME, HEADLESS, needs_cluster_ip
from memkube.apis.core.v1.services.types import (
    ClientIPConfig,
    LoadBalancerStatus,
    Service,
    ServiceStatus,
    SessionAffinityConfig,
)
from memkube.apis.core.v1.services.validation import (
    TOPOLOGY_HINTS,
    TOPOLOGY_MODE,
    is_externally_accessible,
    validate_service,
    validate_service_status_update,
    validate_service_update,
)
from memkube.apis.core.v1.standing import report_deletion
from memkube.registry.declarations.interface import Finish, Stores
from memkube.registry.declarations.request_options import WriteContext
from memkube.registry.declarations.strategy import FieldPaths, Strategy
from memkube.registry.objects.stored import StoredObject

_SPEC: Final = FieldPath("spec")
_INGRESS: Final = FieldPath("status").child("loadBalancer").child("ingress")
_AFFINITY_SECONDS: Final = 10_800


def default_service(service: Service) -> None:
    """Set the defaults of a Service in place: type ClusterIP, TCP ports, traffic policies and session affinity."""
    spec = service.spec
    _default_affinity(service)
    spec.type = spec.type or "ClusterIP"
    for port in spec.ports:
        port.protocol = port.protocol or "TCP"
        port.targetPort = port.targetPort or port.port
    if is_externally_accessible(spec) and not spec.externalTrafficPolicy:
        spec.externalTrafficPolicy = "Cluster"
    if spec.internalTrafficPolicy is None and spec.type in ("NodePort", "LoadBalancer", "ClusterIP"):
        spec.internalTrafficPolicy = "Cluster"
    if spec.type == "LoadBalancer":
        if spec.allocateLoadBalancerNodePorts is None:
            spec.allocateLoadBalancerNodePorts = True
        for point in service.status.loadBalancer.ingress:
            if point.ip and point.ipMode is None:
                point.ipMode = "VIP"


def _default_affinity(service: Service) -> None:
    spec = service.spec
    spec.sessionAffinity = spec.sessionAffinity or "None"
    if spec.sessionAffinity == "None":
        spec.sessionAffinityConfig = None
    elif spec.sessionAffinity == "ClientIP":
        client = spec.sessionAffinityConfig.clientIP if spec.sessionAffinityConfig else None
        if client is None or client.timeoutSeconds is None:
            spec.sessionAffinityConfig = SessionAffinityConfig(
                clientIP=ClientIPConfig(timeoutSeconds=_AFFINITY_SECONDS)
            )


class ServiceStrategy(Strategy[Service]):
    """Defaults and validates Services, and allocates and releases their cluster IPs and node ports.

    Source: ``pkg/registry/core/service/strategy.go``.
    """

    allow_create_on_update: ClassVar[bool] = True
    returns_deleted: ClassVar[bool] = True
    reset_fields: ClassVar[FieldPaths] = (("status",),)

    default = staticmethod(default_service)
    validate = staticmethod(validate_service)
    validate_update = staticmethod(validate_service_update)

    async def begin_create(self, stores: Stores, obj: Service, context: WriteContext) -> Finish | None:
        """Allocate the cluster IPs and node ports of a new service. Raises ApiError if this fails."""
        allocation = Allocation(stores, context)
        await allocation.create(obj)
        return allocation.finish

    def prepare_for_create(self, obj: Service, now: Time) -> list[str]:
        """Clear the status of a new service."""
        obj.status = ServiceStatus()
        return []

    def canonicalize(self, obj: Service) -> None:
        """Clear internalTrafficPolicy of a service of type ExternalName (``defaultOnReadInternalTrafficPolicy``)."""
        if obj.spec.type == EXTERNAL_NAME:
            obj.spec.internalTrafficPolicy = None

    def warnings_on_create(self, obj: Service) -> list[str]:
        return _warnings(obj)

    async def begin_update(self, stores: Stores, new: Service, old: Service, context: WriteContext) -> Finish | None:
        """Keep the cluster IPs and node ports of an updated service, and allocate those that it newly needs.

        Raises ApiError if an allocation fails.
        """
        allocation = Allocation(stores, context)
        await allocation.update(new, old)
        return allocation.finish

    def prepare_for_update(self, new: Service, old: Service) -> None:
        """Discard an update's changes to status, and clear fields that the service's new type does not use."""
        new.status = old.status
        _drop_type_dependent_fields(new, old)

    def warnings_on_update(self, new: Service, old: Service) -> list[str]:
        return _warnings(new)

    async def after_delete(self, stores: Stores, last: StoredObject, context: WriteContext) -> None:
        """Release the cluster IPs and node ports of a deleted service.

        If the service is ``kubernetes`` in the namespace ``default``, the server also recreates it.
        """
        await release_deleted(stores, last)
        report_deletion(stores, last)


class ServiceStatusStrategy(ServiceStrategy):
    """Strategy for writing the ``status`` subresource of Services, which cannot change the spec.

    Status updates allocate no cluster IPs or node ports, not even if a PUT of the status creates the Service.
    """

    reset_fields: ClassVar[FieldPaths] = (("spec",),)

    validate_update = staticmethod(validate_service_status_update)

    async def begin_create(self, stores: Stores, obj: Service, context: WriteContext) -> Finish | None:
        return None

    async def begin_update(self, stores: Stores, new: Service, old: Service, context: WriteContext) -> Finish | None:
        return None

    def prepare_for_update(self, new: Service, old: Service) -> None:
        """Discard an update's changes to ``spec``: the ``status`` subresource writes only the status."""
        new.spec = old.spec

    def warnings_on_update(self, new: Service, old: Service) -> list[str]:
        return [
            warning
            for index, point in enumerate(new.status.loadBalancer.ingress)
            for warning in ip_warnings(_INGRESS.item(index), point.ip)
        ]


def _drop_type_dependent_fields(new: Service, old: Service) -> None:
    """Clear fields that the service's new type does not use (``dropTypeDependentFields``).

    Fields that the same update changes are kept, so that validation reports them.
    """
    spec, before = new.spec, old.spec
    if needs_cluster_ip(old) and not needs_cluster_ip(new):
        if (spec.clusterIP, spec.clusterIPs) == (before.clusterIP, before.clusterIPs):
            spec.clusterIP, spec.clusterIPs = "", []
        if spec.ipFamilies == before.ipFamilies:
            spec.ipFamilies = []
        if spec.ipFamilyPolicy == before.ipFamilyPolicy:
            spec.ipFamilyPolicy = None
    if may_have_node_ports(old) and not may_have_node_ports(new) and set(node_ports(old)) >= set(node_ports(new)):
        for port in spec.ports:
            port.nodePort = 0
    if (
        needs_health_check(old)
        and not needs_health_check(new)
        and spec.healthCheckNodePort == before.healthCheckNodePort
    ):
        spec.healthCheckNodePort = 0
    if spec.type != "LoadBalancer":
        _drop_load_balancer_fields(new, old)
    same_policy = spec.externalTrafficPolicy == before.externalTrafficPolicy
    if is_externally_accessible(before) and not is_externally_accessible(spec) and same_policy:
        spec.externalTrafficPolicy = ""


def _drop_load_balancer_fields(new: Service, old: Service) -> None:
    spec, before = new.spec, old.spec
    if before.type == "LoadBalancer":
        if spec.allocateLoadBalancerNodePorts == before.allocateLoadBalancerNodePorts:
            spec.allocateLoadBalancerNodePorts = None
        if spec.loadBalancerClass == before.loadBalancerClass:
            spec.loadBalancerClass = None
    new.status = new.status.model_copy(update={"loadBalancer": LoadBalancerStatus()})


def _warnings(service: Service) -> list[str]:
    """Return warnings about a Service for the response's Warning headers (``pkg/api/service/warnings.go``)."""
    spec = service.spec
    headless = spec.type == "ClusterIP" and spec.clusterIP == HEADLESS
    warnings: list[str] = []
    if TOPOLOGY_HINTS in service.metadata.annotations:
        warnings.append(f"annotation {TOPOLOGY_HINTS} is deprecated, please use {TOPOLOGY_MODE} instead")
    if spec.clusterIP not in ("", HEADLESS):
        for index, text in enumerate(spec.clusterIPs):
            warnings += ip_warnings(_SPEC.child("clusterIPs").item(index), text)
    if headless:
        ignored = {"loadBalancerIP": spec.loadBalancerIP, "externalIPs": spec.externalIPs}
        ignored["SessionAffinity"] = spec.sessionAffinity if spec.sessionAffinity != "None" else ""
        warnings += [f"spec.{name} is ignored for headless services" for name, value in ignored.items() if value]
    for index, text in enumerate(spec.externalIPs):
        warnings += ip_warnings(_SPEC.child("externalIPs").item(index), text)
    if spec.externalIPs and not headless and spec.type != EXTERNAL_NAME:
        warnings.append("spec.externalIPs is deprecated and may no longer be implemented in some clusters")
    if spec.loadBalancerIP:
        warnings += ip_warnings(_SPEC.child("loadBalancerIP"), spec.loadBalancerIP)
    for index, text in enumerate(spec.loadBalancerSourceRanges):
        warnings += cidr_warnings(_SPEC.child("loadBalancerSourceRanges").item(index), text)
    if spec.type == EXTERNAL_NAME and spec.externalIPs:
        warnings.append(f"spec.externalIPs is ignored when spec.type is {quoted(EXTERNAL_NAME)}")
    if spec.type != EXTERNAL_NAME and spec.externalName:
        warnings.append(f"spec.externalName is ignored when spec.type is not {quoted(EXTERNAL_NAME)}")
    if spec.trafficDistribution == "PreferClose":
        warnings.append('spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"')
    return warnings
