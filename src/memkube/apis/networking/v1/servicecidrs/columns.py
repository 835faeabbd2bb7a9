from typing import Final

from memkube.apimachinery.model import Document
from memkube.registry.declarations.table import AGE, NAME, CellPrinter, Cells, age, column


def _cells(service_cidr: Document) -> Cells:
    blocks = ",".join(service_cidr["spec"].get("cidrs") or [])
    return [service_cidr["metadata"].get("name", ""), blocks, age(service_cidr)]


PRINTER: Final = CellPrinter((NAME, column("CIDRs", "Ranges of cluster IPs."), AGE), _cells)
