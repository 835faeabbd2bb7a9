from typing import Final

from memkube.apimachinery.model import Document
from memkube.registry.declarations.table import AGE, NAME, CellPrinter, Cells, age, column

_MOST_SHOWN: Final = 3


def _cells(endpoint_slice: Document) -> Cells:
    ports = [str(port.get("port", port.get("name", "*"))) for port in endpoint_slice.get("ports") or []]
    endpoints = endpoint_slice.get("endpoints") or []
    addresses = [address for endpoint in endpoints for address in endpoint.get("addresses") or []]
    name, address_type = endpoint_slice["metadata"].get("name", ""), endpoint_slice.get("addressType", "")
    return [name, address_type, _beginning(ports), _beginning(addresses), age(endpoint_slice)]


def _beginning(texts: list[str]) -> str:
    shown = ",".join(texts[:_MOST_SHOWN])
    if len(texts) > _MOST_SHOWN:
        return f"{shown} + {len(texts) - _MOST_SHOWN} more..."
    return shown or "<unset>"


PRINTER: Final = CellPrinter(
    (
        NAME,
        column("AddressType", "Type of the addresses."),
        column("Ports", "Ports of every endpoint."),
        column("Endpoints", "Addresses of the endpoints."),
        AGE,
    ),
    _cells,
)
