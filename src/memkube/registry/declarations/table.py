"""Columns and rows of a kind in a Table (metav1.Table, KEP-20)."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple, Protocol, TypeAlias

from memkube.apimachinery.duration import human_age
from memkube.apimachinery.model import Document


class Elapsed(NamedTuple):
    """A table cell that shows the time elapsed since an instant, such as an age."""

    since: str | None
    """The instant as a Time or MicroTime string; None if it is unknown."""
    form: str = "{}"
    """Format string of the cell."""

    def at(self, now: datetime) -> str:
        """Return the text of the cell at time `now`. The text changes only at whole seconds."""
        return self.form.format(human_age(self.since, now))


Cells: TypeAlias = list[Any]
"""One value for each column: a string, an integer, None or an Elapsed."""


class Row(NamedTuple):
    """The table row of one object."""

    cells: Cells
    conditions: Sequence[Document] = ()
    """Conditions of the row (metav1.TableRowCondition) as JSON data."""

    def at(self, now: datetime) -> list[Any]:
        """Return the cells at time `now`."""
        return [cell.at(now) if isinstance(cell, Elapsed) else cell for cell in self.cells]


class Column(NamedTuple):
    """A column of a table (metav1.TableColumnDefinition). The fields have the order of the JSON."""

    name: str
    type: str = "string"
    format: str = ""
    description: str = ""
    priority: int = 0
    """0 for a column that is always printed, 1 for one that is printed only in wide output."""


class TablePrinter(Protocol):
    """Prints objects of one kind as table rows. The result may depend only on the arguments."""

    @property
    def columns(self) -> Sequence[Column]:
        """The columns, including those of the wide output (``kubectl get -o wide``)."""

    def row(self, document: Document) -> Row:
        """Return the row of a stored object, with one cell for each column.

        Rows are cached for each revision, so a cell that changes with time must be an Elapsed.
        """

    @property
    def rows_of_none(self) -> str:
        """JSON of the ``rows`` field for an empty list: ``[]`` or ``null``."""


class CellPrinter(NamedTuple):
    """A TablePrinter that gets the cells from a function. The rows have no conditions."""

    columns: tuple[Column, ...]
    cells: Callable[[Document], Cells]
    rows_of_none: str = "[]"

    def row(self, document: Document) -> Row:
        return Row(self.cells(document))


def column(name: str, description: str, *, cell_type: str = "string", wide: bool = False) -> Column:
    """Return a column. A `wide` column is printed only in wide output (``kubectl get -o wide``)."""
    return Column(name, cell_type, description=description, priority=1 if wide else 0)


def name_column(*, wide: bool = False) -> Column:
    """Return the column with ``metadata.name``."""
    return Column("Name", format="name", description="Name of the object.", priority=1 if wide else 0)


def age(document: Document) -> Elapsed:
    """Return the cell with the time since ``metadata.creationTimestamp``."""
    return Elapsed(document["metadata"].get("creationTimestamp"))


NAME: Final = name_column()
AGE: Final = column("Age", "Time since the object was created.")
NAME_AND_AGE: Final = CellPrinter((NAME, AGE), lambda document: [document["metadata"].get("name", ""), age(document)])
"""Printer with the columns Name and Age."""
NAME_AND_CREATION: Final = CellPrinter(
    (NAME, column("Created At", "When the object was created.", cell_type="date")),
    lambda document: [document["metadata"].get("name", ""), document["metadata"].get("creationTimestamp")],
    rows_of_none="null",
)
"""Printer with the columns Name and Created At, as for kinds without a printer (``rest.NewDefaultTableConvertor``)."""
