"""The columns and rows of a kind in a Table (metav1.Table, KEP-20)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Protocol, TypeAlias

from memkube.apimachinery.duration import human_age
from memkube.apimachinery.meta.v1.table import TableColumnDefinition
from memkube.apimachinery.model import Document


@dataclass(frozen=True, slots=True)
class Elapsed:
    """A cell that shows the time since an instant."""

    since: str | None
    """A Time or MicroTime as written in the object; None if it is unknown."""
    form: str = "{}"
    """Format of the cell."""

    def at(self, now: datetime) -> str:
        """Return the text of the cell at `now`. It changes at whole seconds only."""
        return self.form.format(human_age(self.since, now))


Cells: TypeAlias = list[Any]
"""One value for each column: a string, an integer, None or an Elapsed."""


@dataclass(frozen=True, slots=True)
class Row:
    """The row of one object."""

    cells: Cells
    conditions: Sequence[Document] = ()
    """Conditions of the row (metav1.TableRowCondition) as JSON data."""

    def at(self, now: datetime) -> list[Any]:
        """Return the cells at `now`."""
        return [cell.at(now) if isinstance(cell, Elapsed) else cell for cell in self.cells]


class TablePrinter(Protocol):
    """Prints the objects of one kind as rows. Its results depend on its arguments alone."""

    @property
    def columns(self) -> Sequence[TableColumnDefinition]:
        """The columns, including those of the wide output."""

    def row(self, document: Document) -> Row:
        """Return the row of a stored object, with a cell for each column.

        It is made once for each revision, so that a cell that depends on the time must be an Elapsed.
        """

    @property
    def rows_of_none(self) -> str:
        """JSON of the rows of an empty list: ``[]`` or ``null``."""


@dataclass(frozen=True, slots=True)
class CellPrinter:
    """A TablePrinter that calls a function for the cells. Its rows have no conditions."""

    columns: tuple[TableColumnDefinition, ...]
    cells: Callable[[Document], Cells]
    rows_of_none: str = "[]"

    def row(self, document: Document) -> Row:
        return Row(self.cells(document))


def column(name: str, description: str, *, cell_type: str = "string", wide: bool = False) -> TableColumnDefinition:
    """Return a column. A `wide` column is printed only in wide output."""
    return TableColumnDefinition(name=name, type=cell_type, description=description, priority=1 if wide else 0)


def name_column(*, wide: bool = False) -> TableColumnDefinition:
    """Return the column with the name of the object."""
    priority = 1 if wide else 0
    return TableColumnDefinition(
        name="Name", type="string", format="name", description="Name of the object.", priority=priority
    )


def age(document: Document) -> Elapsed:
    """Return the time since the creation of the object."""
    return Elapsed(document["metadata"].get("creationTimestamp"))


NAME: Final = name_column()
AGE: Final = column("Age", "Time since the object was created.")
NAME_AND_AGE: Final = CellPrinter((NAME, AGE), lambda document: [document["metadata"].get("name", ""), age(document)])
"""Printer of kinds without further columns."""
NAME_AND_CREATION: Final = CellPrinter(
    (NAME, column("Created At", "When the object was created.", cell_type="date")),
    lambda document: [document["metadata"].get("name", ""), document["metadata"].get("creationTimestamp")],
    rows_of_none="null",
)
"""Printer of built-in kinds for which the reference has no printer (``rest.NewDefaultTableConvertor``)."""
