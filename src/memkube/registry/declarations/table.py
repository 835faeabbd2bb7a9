"""Columns and rows of a kind in a Table (metav1.Table, KEP-20)."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple, Protocol, TypeAlias

from memkube.apimachinery.duration import human_age
from memkube.apimachinery.model import Document

NAME_DESCRIPTION: Final = "Name of the object, unique among the objects of its kind and namespace."


class Elapsed(NamedTuple):
    """A table cell that shows the time elapsed since an instant, such as an age."""

    since: str | None
    """The instant as a Time or MicroTime string; None if it is unknown."""
    form: str = "{}"
    """Format string of the cell, in which ``{}`` is replaced by the elapsed time."""

    def at(self, now: datetime) -> str:
        """Return the text of the cell at the time `now`. The text changes at most once a second."""
        return self.form.format(human_age(self.since, now))


Cells: TypeAlias = list[Any]
"""One value for each column: a string, an integer, None or an Elapsed."""


class Row(NamedTuple):
    """The cells and conditions of one object in a Table (metav1.TableRow)."""

    cells: Cells
    conditions: Sequence[Document] = ()
    """Conditions of the row (metav1.TableRowCondition) as JSON data."""

    def at(self, now: datetime) -> list[Any]:
        """Return the cells, in which times are replaced by the time elapsed until `now`, such as ``5m``."""
        return [cell.at(now) if isinstance(cell, Elapsed) else cell for cell in self.cells]


class Column(NamedTuple):
    """A column of a table (metav1.TableColumnDefinition). The fields have the order of the JSON."""

    name: str
    type: str = "string"
    format: str = ""
    description: str = ""
    priority: int = 0
    """0 if the column is always printed, 1 if it is printed only in wide output (``kubectl get -o wide``)."""


class TablePrinter(Protocol):
    """Prints objects of one kind as rows of a Table. A row must depend only on the object, because rows are cached."""

    @property
    def columns(self) -> Sequence[Column]:
        """The columns, including those of the wide output (``kubectl get -o wide``)."""

    def row(self, document: Document) -> Row:
        """Return the row of a stored object, with one cell for each column.

        Rows are cached for each revision of the object. A cell that changes with time must therefore be an Elapsed.
        """

    @property
    def rows_of_none(self) -> str:
        """Value of ``rows`` in the Table of an empty list: ``[]`` or ``null``."""


class CellPrinter(NamedTuple):
    """TablePrinter made of the columns and a function that returns an object's cells. Its rows have no conditions."""

    columns: tuple[Column, ...]
    cells: Callable[[Document], Cells]
    rows_of_none: str = "[]"

    def row(self, document: Document) -> Row:
        return Row(self.cells(document))


def column(name: str, description: str, *, cell_type: str = "string", wide: bool = False) -> Column:
    """Return a column of a Table whose cells have the OpenAPI type `cell_type`.

    A `wide` column is printed only in wide output (``kubectl get -o wide``).
    """
    return Column(name, cell_type, description=description, priority=1 if wide else 0)


def name_column(*, wide: bool = False) -> Column:
    """Return the Table column for ``metadata.name``. A `wide` column is printed only in wide output."""
    return Column("Name", format="name", description=NAME_DESCRIPTION, priority=1 if wide else 0)


def age(document: Document) -> Elapsed:
    """Return the cell that shows the time since the object's creation."""
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
