"""Tests of the documents against the code: the files, symbols and values that the documents name exist.

A file is named in backticks, relative to the package or the repository; a symbol in a file by backticks after it:
```registry/store.py` `Store.create```.
"""

import ast
import inspect
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest

import memkube
from memkube.controllers.options import ControllerOptions
from memkube.endpoints.filters.limits import RequestLimits
from memkube.http.options import ConnectionLimits
from memkube.server.settings import Settings
from memkube.time.clock import SteppedClock
from tests.gathered import for_each

PACKAGE: Final = Path(memkube.__file__).parent
ROOT: Final = Path(__file__).parents[1]
DOCUMENTS: Final = ("docs/architecture.md", "CONTRIBUTING.md")
INTERNALS: Final = tuple(f"docs/internals/{page.name}" for page in sorted((ROOT / "docs/internals").glob("*.md")))
CLASSES: Final[dict[str, Any]] = {
    made.__name__: made for made in (Settings, ConnectionLimits, RequestLimits, ControllerOptions, SteppedClock)
}
UNITS: Final = {"KiB": 1024, "MiB": 1024**2, "s": 1, "": 1}

_fence = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
_picture = re.compile(r"^```mermaid$(.*?)^```$", re.MULTILINE | re.DOTALL)
_file = re.compile(r"`(?!/)((?:[\w.-]+/)+[\w.-]*|[\w-]+\.(?:py|md|json))`")
_name = r"`(?![\w.]+\.(?:py|md|json)`)[A-Za-z_][\w.]*`"
_symbols = re.compile(rf"`([\w./-]+\.py)`(\s+{_name}(?:(?:,|\s+and)\s+{_name})*)")
_symbol = re.compile(r"`([A-Za-z_][\w.]*)`")
_link = re.compile(r"\]\(([^)#:]+)\)")
_target = re.compile(r"`make (\w+)")
_size = re.compile(r"([\d.,]+) ?(\w*)")


class Bound(NamedTuple):
    """A row of the table of bounds."""

    what: str
    setting: str
    default: str
    past_it: str
    test: str


def text_of(document: str) -> str:
    """Return the text of a document without diagrams and listings."""
    return _fence.sub("", (ROOT / document).read_text())


def found(name: str) -> Path | None:
    """Return the file or folder that a document names; None if there is none."""
    return next((base / name for base in (PACKAGE, ROOT) if (base / name).exists()), None)


def named_files() -> list[tuple[str, str]]:
    """Return the documents with the files they name, except Go files and those of unspecified kinds (GROUP)."""
    pairs = {(document, name) for document in (*DOCUMENTS, *INTERNALS) for name in _file.findall(text_of(document))}
    return sorted((document, name) for document, name in pairs if "GROUP" not in name and not name.endswith(".go"))


def named_symbols() -> list[tuple[str, str]]:
    """Return the files with the symbols that documents name."""
    named = [match for document in (*DOCUMENTS, *INTERNALS) for match in _symbols.findall(text_of(document))]
    return sorted({(file, symbol) for file, symbols in named for symbol in _symbol.findall(symbols)})


@cache
def symbols_in(path: Path) -> frozenset[str]:
    """Return the names that a module defines, with the members of its classes."""
    return frozenset(_defined(ast.parse(path.read_text()).body))


def _defined(body: list[ast.stmt], within: str = "") -> Iterator[str]:
    for statement in body:
        if isinstance(statement, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield within + statement.name
            if isinstance(statement, ast.ClassDef):
                yield from _defined(statement.body, f"{within}{statement.name}.")
        elif isinstance(statement, ast.Assign | ast.AnnAssign):
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            yield from (within + target.id for target in targets if isinstance(target, ast.Name))


def bounds() -> list[Bound]:
    """Return the rows of the table of bounds."""
    section = text_of("docs/internals/bounds.md")
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in section.splitlines() if line[:1] == "|"]
    return [Bound(*row) for row in rows[2:]]


def number(written: str) -> float:
    """Return the value of a number in the table, which may have separators and a unit."""
    match = _size.fullmatch(written)
    assert match is not None, written
    return float(match[1].replace(",", "")) * UNITS[match[2]]


def value_of(setting: str) -> Any:
    """Return the default of a setting: of a class's parameter, or of a constant in a file."""
    file, *names = re.findall(r"`([^`]+)`", setting)
    if names:
        module = import_module("memkube." + file.removesuffix(".py").replace("/", "."))
        return getattr(module, names[0])
    owner, _, parameter = file.partition(".")
    return inspect.signature(CLASSES[owner]).parameters[parameter].default


@pytest.mark.parametrize("document", DOCUMENTS)
def test_a_document_names_files_and_symbols(document: str) -> None:
    text = text_of(document)
    assert (len(set(_file.findall(text))) > 20, len(_symbols.findall(text)) > 5) == (True, True)


@for_each(named_files(), name=" names ".join)
def test_every_file_that_a_document_names_is_there(named: tuple[str, str]) -> None:
    _, name = named
    path = found(name)
    # A name without a folder, such as `types.py`, is that of a file in the folder of each kind.
    assert path is not None or ("/" not in name and list(PACKAGE.glob(f"apis/**/{name}")))


@for_each(named_symbols(), name=" ".join)
def test_every_symbol_that_a_document_names_is_in_its_file(named: tuple[str, str]) -> None:
    file, symbol = named
    path = found(file)
    assert path is not None
    assert symbol in symbols_in(path)


@pytest.mark.parametrize(
    "document",
    ["CONTRIBUTING.md", "README.md", *(str(page.relative_to(ROOT)) for page in (ROOT / "docs").rglob("*.md"))],
)
def test_links_lead_somewhere(document: str) -> None:
    path = ROOT / document
    links = _link.findall(path.read_text())
    assert [link for link in links if not (path.parent / link).exists()] == []


@pytest.mark.parametrize("document", DOCUMENTS)
def test_targets_of_make_are_in_the_makefile(document: str) -> None:
    makefile = (ROOT / "Makefile").read_text()
    assert [name for name in _target.findall(text_of(document)) if f"\n{name}:" not in makefile] == []


@pytest.mark.parametrize("bound", bounds(), ids=lambda bound: bound.what)
def test_a_bound_has_the_default_that_the_table_tells(bound: Bound) -> None:
    assert value_of(bound.setting) == number(bound.default)


@pytest.mark.parametrize("bound", bounds(), ids=lambda bound: bound.what)
def test_a_bound_has_a_test_that_goes_past_it(bound: Bound) -> None:
    (file, symbols), *more = _symbols.findall(bound.test)
    assert (file.startswith("tests/"), more) == (True, [])
    assert all(name.startswith("test_") for name in _symbol.findall(symbols))


def test_every_setting_that_is_a_bound_is_in_the_table() -> None:
    told = {name for bound in bounds() for name in _symbol.findall(bound.setting)}
    limits = {f"ConnectionLimits.{name}" for name in inspect.signature(ConnectionLimits).parameters}
    limits |= {f"ControllerOptions.{name}" for name in inspect.signature(ControllerOptions).parameters}
    shape = {
        f"ControllerOptions.{name}"
        for name in (
            "nodes",
            "node_pools",
            "zones",
            "scheduler_profiles",
            "scheduler_annotations",
            "signing_files",
        )
    }
    assert limits - told == shape


def layers_in(picture: str) -> list[set[str]]:
    """Return the packages of each box of the diagram, from the top: ``name: text · name: text`` or ``name, name``."""
    boxes = [label or plain for label, plain in re.findall(r'\["([^"]+)"\]|--> (\w+)$', picture, re.MULTILINE)]
    parts = [[part.partition(":") for part in box.split(" · ")] for box in boxes]
    return [{name for names, _, _ in box for name in names.split(", ")} for box in parts]


def test_the_picture_has_the_layers_of_the_contract() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    layers = next(contract["layers"] for contract in contracts if contract["name"] == "Layers")
    (picture,) = _picture.findall((ROOT / "docs/architecture.md").read_text())
    assert layers_in(picture) == [set(re.findall(r"\w+", layer)) for layer in layers]


def test_contracts_that_are_named_are_there() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    names = {contract["name"] for contract in contracts}
    told = re.findall(r'contract "([^"]+)"', text_of("docs/architecture.md"))
    assert (len(told) > 5, set(told) - names) == (True, set())
