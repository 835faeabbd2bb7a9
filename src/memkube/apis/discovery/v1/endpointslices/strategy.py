from typing import Final

from memkube.apimachinery.field_errors import FieldPath
from memkube.apimachinery.ip_addresses import ip_warnings
from memkube.apimachinery.time import Time
from memkube.apis.core.v1.standing import report_deletion
from memkube.apis.discovery.v1.endpointslices.types import EndpointSlice
from memkube.apis.discovery.v1.endpointslices.validation import (
    validate_endpoint_slice,
    validate_endpoint_slice_update,
)
from memkube.registry.declarations.interface import Stores
from memkube.registry.declarations.request_options import WriteContext
from memkube.registry.declarations.strategy import Strategy
from memkube.registry.objects.stored import StoredObject

_MANAGED_BY: Final = "endpointslice.kubernetes.io/managed-by"
_CONTROLLERS: Final = frozenset({"endpointslice-controller.k8s.io", "endpointslicemirroring-controller.k8s.io"})
_ENDPOINTS: Final = FieldPath("endpoints")


class EndpointSliceStrategy(Strategy[EndpointSlice]):
    """Defaults, validation and warnings for EndpointSlices. Clients cannot set `deprecatedTopology`.

    Source: ``pkg/registry/discovery/endpointslice/strategy.go``.
    """

    validate = staticmethod(validate_endpoint_slice)
    validate_update = staticmethod(validate_endpoint_slice_update)

    def default(self, obj: EndpointSlice) -> None:
        """Set the defaults of the ports of an EndpointSlice: protocol TCP and an empty name."""
        for port in obj.ports:
            port.name = port.name or ""
            port.protocol = "TCP" if port.protocol is None else port.protocol

    def prepare_for_create(self, obj: EndpointSlice, now: Time) -> list[str]:
        obj.metadata.generation = 1
        _drop_topology(obj)
        return []

    def warnings_on_create(self, obj: EndpointSlice) -> list[str]:
        deprecated = ["spec.addressType: FQDN endpoints are deprecated"] if obj.addressType == "FQDN" else []
        return deprecated + _warnings(obj)

    def prepare_for_update(self, new: EndpointSlice, old: EndpointSlice) -> None:
        """Increment the generation of an EndpointSlice if its endpoints, ports or labels changed."""
        same_endpoints = new.endpoints == old.endpoints
        same_ports = new.ports == old.ports and new.addressType == old.addressType
        if not (same_endpoints and same_ports and new.metadata.labels == old.metadata.labels):
            new.metadata.generation = old.metadata.generation + 1
        if not same_endpoints:
            _drop_topology(new)

    def warnings_on_update(self, new: EndpointSlice, old: EndpointSlice) -> list[str]:
        return _warnings(new)

    async def after_delete(self, stores: Stores, last: StoredObject, context: WriteContext) -> None:
        """If the EndpointSlice of the service ``kubernetes`` was deleted, make the server recreate it."""
        report_deletion(stores, last)


def _drop_topology(endpoint_slice: EndpointSlice) -> None:
    for endpoint in endpoint_slice.endpoints:
        endpoint.deprecatedTopology = {}


def _warnings(endpoint_slice: EndpointSlice) -> list[str]:
    """Return warnings about IP addresses in an EndpointSlice that are not in canonical form.

    Slices that Kubernetes' own controllers manage get no warnings.
    """
    if endpoint_slice.metadata.labels.get(_MANAGED_BY) in _CONTROLLERS:
        return []
    return [
        warning
        for index, endpoint in enumerate(endpoint_slice.endpoints)
        for position, text in enumerate(endpoint.addresses)
        for warning in ip_warnings(_ENDPOINTS.item(index).child("addresses").item(position), text)
    ]
