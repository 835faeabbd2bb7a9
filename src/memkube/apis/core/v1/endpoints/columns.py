from collections.abc import Iterator
from typing import Final

from memkube.apimachinery.model import Document
from memkube.registry.declarations.table import AGE, NAME, CellPrinter, Cells, age, column

_MOST_SHOWN: Final = 3


def _cells(endpoints: Document) -> Cells:
    subsets = endpoints.get("subsets") or []
    shown = [text for subset in subsets for text in _addresses(subset)]
    text = ",".join(shown[:_MOST_SHOWN])
    if len(shown) > _MOST_SHOWN:
        text += f" + {len(shown) - _MOST_SHOWN} more..."
    return [endpoints["metadata"].get("name", ""), text if subsets else "<none>", age(endpoints)]


def _addresses(subset: Document) -> Iterator[str]:
    """Yield ``IP:port`` for each ready IP address and each port of a subset.

    Without ports, yield only the IP addresses.
    """
    addresses = [address["ip"] for address in subset.get("addresses") or []]
    ports = subset.get("ports") or []
    if not ports:
        yield from addresses
    for port in ports:
        for ip in addresses:
            yield f"[{ip}]:{port['port']}" if ":" in ip else f"{ip}:{port['port']}"


PRINTER: Final = CellPrinter(
    (NAME, column("Endpoints", "Ready addresses with their ports."), AGE),
    _cells,
)
