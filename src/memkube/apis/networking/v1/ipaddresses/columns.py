from typing import Final

from memkube.apimachinery.model import Document
from memkube.registry.declarations.table import NAME, CellPrinter, Cells, age, column


def _cells(ip_address: Document) -> Cells:
    """Return the cells of an IPAddress's table row.

    As in kube-apiserver, there is one cell more than there are columns.
    """
    parent = ip_address["spec"].get("parentRef")
    return [
        ip_address["metadata"].get("name", ""),
        _reference(parent) if parent is not None else "<none>",
        age(ip_address),
    ]


def _reference(parent: Document) -> str:
    resource, group = parent.get("resource", ""), parent.get("group", "")
    named = (f"{resource}.{group}" if group else resource).lower()
    namespace, name = parent.get("namespace", ""), parent.get("name", "")
    return f"{named}/{namespace}/{name}" if namespace else f"{named}/{name}"


PRINTER: Final = CellPrinter((NAME, column("ParentRef", "Object that owns the address.")), _cells)
