"""Tables of objects, with the columns that kubectl gets from the server (metav1.Table)."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from jinja2 import Environment
from markupsafe import Markup

from memkube.ui.kinds import Kind
from memkube.ui.page import At, link

TABLE: Final = "application/json;as=Table;v=v1;g=meta.k8s.io"
"""Media type of a list or watch as a Table."""
_AGE: Final = "Age"
_TOLD: Final = frozenset({"Status", "Phase", "State", "Reason", "Type", "Ready", "Available", "Conditions"})
"""Columns whose words are coloured, in built-in and custom kinds."""
_GOOD: Final = frozenset(
    {
        "active",
        "available",
        "bound",
        "complete",
        "completed",
        "ready",
        "running",
        "succeeded",
        "true",
        "approved,issued",
    }
)
_WAITING: Final = frozenset(
    {"containercreating", "pending", "podinitializing", "progressing", "released", "terminating", "unknown", "warning"}
)
_bad: Final = re.compile(
    r"(?:error|fail|backoff|notready|evicted|oomkilled|lost|invalid|^err|never|unhealthy)", re.IGNORECASE
)
_fraction: Final = re.compile(r"([0-9]+)/([0-9]+)")


class Column(NamedTuple):
    """A column of a table."""

    name: str
    description: str
    is_wide: bool
    """True if kubectl shows the column only with ``-o wide``."""


class Cell(NamedTuple):
    """A cell of a table."""

    text: str
    tone: str = ""
    """``good``, ``waiting`` or ``bad`` for a state; else empty. The text says the same without colour."""
    since: str = ""
    """The instant from which the browser counts an age; else empty."""
    is_wide: bool = False

    @property
    def classes(self) -> str:
        """The classes of the cell in the stylesheet."""
        return " ".join(filter(None, (self.tone, "wide" if self.is_wide else "")))


class TableRow(NamedTuple):
    """The row of one object."""

    namespace: str
    name: str
    cells: Sequence[Cell]

    @property
    def key(self) -> str:
        """The key by which the browser finds the row. Keys sort like the objects of a list."""
        return f"{self.namespace}/{self.name}"


class TableView(NamedTuple):
    """What is the same in all rows of a table."""

    kind: Kind
    has_namespaces: bool
    """True if the table shows objects of several namespaces."""
    at: At

    def href(self, row: TableRow) -> str:
        """Return the address of a row's object."""
        return link(self.kind.path(row.namespace, row.name), at=self.at.revision)


def columns_of(table: Any) -> list[Column]:
    """Return the columns of a Table, without the name, which is shown as a link."""
    shown = table["columnDefinitions"][1:]
    return [Column(one["name"], one.get("description", ""), bool(one.get("priority"))) for one in shown]


def rows_of(table: Any, columns: Sequence[Column]) -> Iterator[TableRow]:
    """Yield the rows of a Table."""
    for row in table.get("rows") or ():
        metadata: Mapping[str, Any] = row["object"]["metadata"]
        cells = [_cell(column, value, metadata) for column, value in zip(columns, row["cells"][1:], strict=True)]
        yield TableRow(metadata.get("namespace", ""), metadata["name"], cells)


def row_html(templates: Environment, view: TableView, row: TableRow) -> Markup:
    """Return a row as HTML, for the page and for its updates."""
    html: Markup = templates.get_template("row.html").module.row(view, row)  # type: ignore[attr-defined]  # a macro
    return html


def _cell(column: Column, value: Any, metadata: Mapping[str, Any]) -> Cell:
    text = "" if value is None else str(value)
    since = str(metadata.get("creationTimestamp") or "") if column.name == _AGE else ""
    return Cell(text, tone_of(text) if column.name in _TOLD else "", since, column.is_wide)


def tone_of(text: str) -> str:
    """Return ``good``, ``waiting`` or ``bad`` for the words of a state; "" for words that say nothing about it."""
    if counted := _fraction.fullmatch(text):
        return "good" if int(counted[1]) >= int(counted[2]) else "waiting"
    words = text.lower()
    if words in _GOOD:
        return "good"
    if words in _WAITING or words.startswith(("init:", "ready,")):
        return "waiting"
    return "bad" if _bad.search(words) or words == "false" else ""
