"""What Endpoints add to the generic verbs, and what they get where the client says nothing."""

from typing import ClassVar, Final

from memkube.apimachinery.field_errors import FieldError, FieldPath
from memkube.apimachinery.ip_addresses import address_warnings
from memkube.apis.core.v1.endpoints.types import Endpoints
from memkube.apis.core.v1.endpoints.validation import validate_endpoints, validate_endpoints_update
from memkube.apis.core.v1.standing import tell_of_deletion
from memkube.registry.declarations.interface import Stores
from memkube.registry.declarations.request_options import WriteContext
from memkube.registry.declarations.strategy import Strategy
from memkube.registry.objects.stored import StoredObject

_MANAGED_BY: Final = "endpoints.kubernetes.io/managed-by"
_CONTROLLER: Final = "endpoint-controller"
_SUBSETS: Final = FieldPath("subsets")


class EndpointsStrategy(Strategy[Endpoints]):
    """Source: ``pkg/registry/core/endpoint/strategy.go``."""

    allow_create_on_update: ClassVar[bool] = True

    def default(self, obj: Endpoints) -> None:
        """Ports are of TCP."""
        for subset in obj.subsets:
            for port in subset.ports:
                port.protocol = port.protocol or "TCP"

    def validate(self, obj: Endpoints) -> list[FieldError]:
        """See Strategy."""
        return validate_endpoints(obj)

    def warnings_on_create(self, obj: Endpoints) -> list[str]:
        """See Strategy."""
        return _warnings(obj)

    def validate_update(self, new: Endpoints, old: Endpoints) -> list[FieldError]:
        """See Strategy."""
        return validate_endpoints_update(new, old)

    def warnings_on_update(self, new: Endpoints, old: Endpoints) -> list[str]:
        """See Strategy."""
        return _warnings(new)

    async def after_delete(self, stores: Stores, last: StoredObject, context: WriteContext) -> None:
        """The API server's own are made again."""
        tell_of_deletion(stores, last)


def _warnings(endpoints: Endpoints) -> list[str]:
    """Nothing is said of what the endpoints controller wrote."""
    if endpoints.metadata.labels.get(_MANAGED_BY) == _CONTROLLER:
        return []
    return [
        warning
        for index, subset in enumerate(endpoints.subsets)
        for name in ("addresses", "notReadyAddresses")
        for position, address in enumerate(getattr(subset, name))
        for warning in address_warnings(_SUBSETS.item(index).child(name).item(position).child("ip"), address.ip)
    ]
