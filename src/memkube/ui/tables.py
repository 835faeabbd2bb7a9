"""Tables of objects, with the columns that kubectl gets from the server (metav1.Table)."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from jinja2 import Environment
from markupsafe import Markup

from memkube.ui.kinds import Kind
from memkube.ui.page import At, link

TABLE: Final = "application/json;as=Table;v=v1;g=meta.k8s.io"
"""Media type of a list or watch in the form of a metav1.Table."""
_AGE: Final = "Age"
_TOLD: Final = frozenset({"Status", "Phase", "State", "Reason", "Type", "Ready", "Available", "Conditions"})
"""Names of the columns whose texts are coloured by the state that they name."""
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
    """A column of a table of objects: the heading, and the description that the server sends with it."""

    name: str
    description: str
    is_wide: bool
    """True if kubectl shows the column only with ``-o wide``."""


class Cell(NamedTuple):
    """A table cell as the page shows it: text, colour, and the instant from which an age is computed."""

    text: str
    tone: str = ""
    """State that the cell's colour shows: ``good``, ``waiting`` or ``bad``; "" for no colour. The text says it too."""
    since: str = ""
    """Instant from which the browser computes the age that it shows; empty if the cell shows no age."""
    is_wide: bool = False

    @property
    def classes(self) -> str:
        """Names of the cell's CSS classes, separated by spaces."""
        return " ".join(filter(None, (self.tone, "wide" if self.is_wide else "")))


class TableRow(NamedTuple):
    """The cells of one object in a table."""

    namespace: str
    name: str
    cells: Sequence[Cell]

    @property
    def key(self) -> str:
        """Identifier of the row in the HTML, by which scripts find it. Keys sort in the order of an API list."""
        return f"{self.namespace}/{self.name}"


class TableView(NamedTuple):
    """What a row's HTML depends on besides its data: the kind, the namespace column, and the table's revision."""

    kind: Kind
    has_namespaces: bool
    """True if the table shows objects of all namespaces, so that it needs a column for the namespace."""
    at: At

    def href(self, row: TableRow) -> str:
        """Return the URL of the page that shows the row's object."""
        return link(self.kind.path(row.namespace, row.name), at=self.at.revision)


def columns_of(table: Any) -> list[Column]:
    """Return the columns of a metav1.Table. The column of the name is left out: the page shows it as a link."""
    shown = table["columnDefinitions"][1:]
    return [Column(one["name"], one.get("description", ""), bool(one.get("priority"))) for one in shown]


def rows_of(table: Any, columns: Sequence[Column]) -> Iterator[TableRow]:
    """Yield the rows of a metav1.Table; `columns` are those that `columns_of` returned for it."""
    for row in table.get("rows") or ():
        metadata: Mapping[str, Any] = row["object"]["metadata"]
        cells = [_cell(column, value, metadata) for column, value in zip(columns, row["cells"][1:], strict=True)]
        yield TableRow(metadata.get("namespace", ""), metadata["name"], cells)


def row_html(templates: Environment, view: TableView, row: TableRow) -> Markup:
    """Return the HTML of a row of the table `view`, both for the first response and for live updates.

    `templates` contains the template ``row.html``.
    """
    html: Markup = templates.get_template("row.html").module.row(view, row)  # type: ignore[attr-defined]  # a macro
    return html


def _cell(column: Column, value: Any, metadata: Mapping[str, Any]) -> Cell:
    text = "" if value is None else str(value)
    since = str(metadata.get("creationTimestamp") or "") if column.name == _AGE else ""
    return Cell(text, tone_of(text) if column.name in _TOLD else "", since, column.is_wide)


def tone_of(text: str) -> str:
    """Return how a status that kubectl prints is coloured: ``good``, ``waiting`` or ``bad``; empty if unknown."""
    if counted := _fraction.fullmatch(text):
        return "good" if int(counted[1]) >= int(counted[2]) else "waiting"
    words = text.lower()
    if words in _GOOD:
        return "good"
    if words in _WAITING or words.startswith(("init:", "ready,")):
        return "waiting"
    return "bad" if _bad.search(words) or words == "false" else ""
