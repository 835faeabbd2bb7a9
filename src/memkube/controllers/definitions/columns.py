"""Printer columns of custom objects (apiextensions ``registry/customresource/tableconvertor``)."""

from collections.abc import Callable, Sequence
from typing import Any, Final

from memkube.apimachinery.json_path import JsonPath
from memkube.apimachinery.model import Document
from memkube.apimachinery.shown_values import shown
from memkube.apimachinery.structural import with_whole_numbers
from memkube.apimachinery.structural.numbers import go_number
from memkube.apimachinery.time import Time
from memkube.apis.apiextensions.v1.customresourcedefinitions.types import CustomResourceColumnDefinition
from memkube.registry.declarations.table import (
    NAME,
    NAME_AND_AGE,
    CellPrinter,
    Cells,
    Column,
    Elapsed,
    TablePrinter,
    column,
)

_INT64: Final = 2**63
_NAME_AND_AGE: Final = CellPrinter(
    (NAME, column("Age", "Time since the object was created.", cell_type="date")), NAME_AND_AGE.cells
)


def printer_of(columns: Sequence[CustomResourceColumnDefinition]) -> TablePrinter:
    """Return the function that prints custom objects of a version as table rows.

    If the definition declares no columns, the columns are name and age. If the path of a declared column is invalid,
    this column and all later ones are left out.
    """
    if not columns:
        return _NAME_AND_AGE
    definitions, cells = [NAME], []
    for declared in columns:
        try:
            path = JsonPath(declared.jsonPath)
        except ValueError:
            break
        by_default = f"Custom resource definition column (in JSONPath format): {declared.jsonPath}"
        description = declared.description or by_default
        definitions.append(Column(declared.name, declared.type, declared.format, description, declared.priority))
        cells.append(_cell(path, declared.type))

    def row(document: Document) -> Cells:
        return [document["metadata"].get("name", ""), *(cell(document) for cell in cells)]

    return CellPrinter(tuple(definitions), row)


def _cell(path: JsonPath, kind: str) -> Callable[[Document], Any]:
    def cell(document: Document) -> Any:
        found = path.find(document)
        if not found:
            return None
        value = found[0]
        return written(value) if kind == "string" else _typed(value, kind)

    return cell


def _typed(value: Any, kind: str) -> Any:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if kind == "integer" and number:
        return int(value) if -_INT64 <= value < _INT64 else -_INT64
    if kind == "number" and number:
        return with_whole_numbers(float(value))
    if kind == "boolean" and isinstance(value, bool):
        return value
    if kind == "date" and isinstance(value, str):
        if not value:
            return Elapsed(None)
        try:
            return Elapsed(Time.parse_unless_zero(value))
        except ValueError:
            return "<invalid>"
    return None


def written(value: Any) -> str:
    """Format a value of a printer column as client-go does: text unchanged, objects and lists as JSON."""
    match value:
        case None:
            return "<no value>"
        case bool():
            return "true" if value else "false"
        case dict() | list():
            return shown(value)
    return go_number(value) if isinstance(value, int | float) else str(value)
