from typing import ClassVar, Final

from memkube.apimachinery.field_errors import FieldPath
from memkube.apimachinery.ip_addresses import ip_warnings
from memkube.apis.core.v1.endpoints.types import Endpoints
from memkube.apis.core.v1.endpoints.validation import validate_endpoints, validate_endpoints_update
from memkube.apis.core.v1.standing import report_deletion
from memkube.registry.declarations.interface import Stores
from memkube.registry.declarations.request_options import WriteContext
from memkube.registry.declarations.strategy import Strategy
from memkube.registry.objects.stored import StoredObject

_MANAGED_BY: Final = "endpoints.kubernetes.io/managed-by"
_CONTROLLER: Final = "endpoint-controller"
_SUBSETS: Final = FieldPath("subsets")


class EndpointsStrategy(Strategy[Endpoints]):
    """Defaults and validates Endpoints that clients create and update. A PUT can create an Endpoints object.

    Source: ``pkg/registry/core/endpoint/strategy.go``.
    """

    allow_create_on_update: ClassVar[bool] = True

    validate = staticmethod(validate_endpoints)
    validate_update = staticmethod(validate_endpoints_update)

    def default(self, obj: Endpoints) -> None:
        """Set the protocol of the ports of an Endpoints object to TCP if it is empty."""
        for subset in obj.subsets:
            for port in subset.ports:
                port.protocol = port.protocol or "TCP"

    def warnings_on_create(self, obj: Endpoints) -> list[str]:
        return _warnings(obj)

    def warnings_on_update(self, new: Endpoints, old: Endpoints) -> list[str]:
        return _warnings(new)

    async def after_delete(self, stores: Stores, last: StoredObject, context: WriteContext) -> None:
        """If the Endpoints object of the service ``kubernetes`` was deleted, make the server recreate it."""
        report_deletion(stores, last)


def _warnings(endpoints: Endpoints) -> list[str]:
    """Return warnings about IP addresses in an Endpoints object that are not in canonical form.

    Writes of the endpoints controller cause no warnings.
    """
    if endpoints.metadata.labels.get(_MANAGED_BY) == _CONTROLLER:
        return []
    return [
        warning
        for index, subset in enumerate(endpoints.subsets)
        for name in ("addresses", "notReadyAddresses")
        for position, address in enumerate(getattr(subset, name))
        for warning in ip_warnings(_SUBSETS.item(index).child(name).item(position).child("ip"), address.ip)
    ]
