"""How a kind is shown as rows of a table (metav1.Table, KEP-20)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Protocol, TypeAlias

from memkube.apimachinery.duration import human_age
from memkube.apimachinery.meta.v1.table import TableColumnDefinition
from memkube.apimachinery.model import Document


@dataclass(frozen=True, slots=True)
class Elapsed:
    """A cell that depends on the time: it tells how long ago something was."""

    since: str | None
    """A Time or MicroTime as it is written; nothing where it is unknown."""
    form: str = "{}"
    """What is shown around it."""

    def at(self, now: datetime) -> str:
        """The cell as it is shown at that instant; it stays so until a whole number of seconds has passed."""
        return self.form.format(human_age(self.since, now))


Cells: TypeAlias = list[Any]
"""One value for each column: a string, an integer, None or an Elapsed."""


@dataclass(frozen=True, slots=True)
class Row:
    """What a table shows of one object."""

    cells: Cells
    conditions: Sequence[Document] = ()
    """Remarks on the row (metav1.TableRowCondition), as JSON."""

    def at(self, now: datetime) -> list[Any]:
        """The cells as they are shown at that instant."""
        return [cell.at(now) if isinstance(cell, Elapsed) else cell for cell in self.cells]


class TablePrinter(Protocol):
    """Shows the objects of one kind. It depends on nothing but its arguments."""

    @property
    def columns(self) -> Sequence[TableColumnDefinition]:
        """The columns, those of the wide form included."""

    def row(self, document: Document) -> Row:
        """The row of an object in its stored form, with a cell for each column.

        It is made once for each revision: what depends on the time is an Elapsed.
        """

    @property
    def rows_of_none(self) -> str:
        """How the rows of an empty list are written: as ``[]``, or as ``null``."""


@dataclass(frozen=True, slots=True)
class CellPrinter:
    """A TablePrinter made of a function; its rows carry no conditions."""

    columns: tuple[TableColumnDefinition, ...]
    cells: Callable[[Document], Cells]
    rows_of_none: str = "[]"

    def row(self, document: Document) -> Row:
        """See TablePrinter."""
        return Row(self.cells(document))


def column(name: str, description: str, *, cell_type: str = "string", wide: bool = False) -> TableColumnDefinition:
    """A column; one that is `wide` is printed only on request."""
    return TableColumnDefinition(name=name, type=cell_type, description=description, priority=1 if wide else 0)


def name_column(*, wide: bool = False) -> TableColumnDefinition:
    """The column that tells which object a row is about."""
    priority = 1 if wide else 0
    return TableColumnDefinition(
        name="Name", type="string", format="name", description="Name of the object.", priority=priority
    )


def age(document: Document) -> Elapsed:
    """How long ago the object was created."""
    return Elapsed(document["metadata"].get("creationTimestamp"))


NAME: Final = name_column()
AGE: Final = column("Age", "Time since the object was created.")
NAME_AND_AGE: Final = CellPrinter((NAME, AGE), lambda document: [document["metadata"].get("name", ""), age(document)])
"""For kinds that have nothing else to show."""
NAME_AND_CREATION: Final = CellPrinter(
    (NAME, column("Created At", "When the object was created.", cell_type="date")),
    lambda document: [document["metadata"].get("name", ""), document["metadata"].get("creationTimestamp")],
    rows_of_none="null",
)
"""For built-in kinds that the reference has no printer for (``rest.NewDefaultTableConvertor``)."""
