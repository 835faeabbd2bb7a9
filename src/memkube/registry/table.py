"""How a kind is shown as rows of a table (metav1.Table, KEP-20)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Protocol, TypeAlias

from memkube.apimachinery.duration import human_age
from memkube.apimachinery.meta.v1.table import TableColumnDefinition
from memkube.apimachinery.model import Document

Cells: TypeAlias = list[Any]
"""One value for each column: a string, an integer or None."""


@dataclass(frozen=True, slots=True)
class Row:
    """What a table shows of one object."""

    cells: Cells
    conditions: Sequence[Document] = ()
    """Remarks on the row (metav1.TableRowCondition), as JSON."""


class TablePrinter(Protocol):
    """Shows the objects of one kind. It depends on nothing but its arguments."""

    @property
    def columns(self) -> Sequence[TableColumnDefinition]:
        """The columns, those of the wide form included."""

    def row(self, document: Document, now: datetime) -> Row:
        """The row of an object in its stored form, with a cell for each column; ages count up to `now`."""


@dataclass(frozen=True, slots=True)
class CellPrinter:
    """A TablePrinter made of a function; its rows carry no conditions."""

    columns: tuple[TableColumnDefinition, ...]
    cells: Callable[[Document, datetime], Cells]

    def row(self, document: Document, now: datetime) -> Row:
        """See TablePrinter."""
        return Row(self.cells(document, now))


def column(name: str, description: str, *, cell_type: str = "string", wide: bool = False) -> TableColumnDefinition:
    """A column; one that is `wide` is printed only on request."""
    return TableColumnDefinition(name=name, type=cell_type, description=description, priority=1 if wide else 0)


def name_column(*, wide: bool = False) -> TableColumnDefinition:
    """The column that tells which object a row is about."""
    priority = 1 if wide else 0
    return TableColumnDefinition(
        name="Name", type="string", format="name", description="Name of the object.", priority=priority
    )


def age(document: Document, now: datetime) -> str:
    """How long ago the object was created."""
    return human_age(document["metadata"].get("creationTimestamp"), now)


NAME: Final = name_column()
AGE: Final = column("Age", "Time since the object was created.")
NAME_AND_AGE: Final = CellPrinter(
    (NAME, AGE), lambda document, now: [document["metadata"].get("name", ""), age(document, now)]
)
"""For kinds that have nothing else to show."""
