"""Manifests, wherever they are: files, folders, text, documents."""

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, TypeAlias

from memkube.apimachinery.decoding import DecodeError, parse_json, read_yaml
from memkube.apimachinery.decoding.decode import may_have_duplicates
from memkube.cluster.creation_order import creation_rank
from memkube.cluster.manifest_text import DocumentText, Position, Step, documents_in
from memkube.errors import ManifestError

Manifests: TypeAlias = "str | os.PathLike[str] | Mapping[str, Any] | Iterable[Manifests]"
"""A path, or YAML or JSON text where it has more than one line or begins with a brace, or a document, or many."""

SUFFIXES: Final = (".json", ".yaml", ".yml")
"""How files end that are taken for manifests in a folder."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """One object as somebody wrote it down."""

    document: dict[str, Any]
    source: str
    """Where it stands, for messages."""
    text: DocumentText | None = None
    """Where it stands, to the column; None where it has been given as a document."""
    path: tuple[Step, ...] = ()
    """Where it is in that text: of a List, its item."""
    duplicates: tuple[tuple[str, Position], ...] = field(default=(), repr=False)
    """The keys that the text gives more than once, in this object and beside it."""

    @property
    def api_version(self) -> str:
        """What it gives as apiVersion."""
        return str(self.document["apiVersion"])

    @property
    def kind(self) -> str:
        """What it gives as kind."""
        return str(self.document["kind"])

    @property
    def metadata(self) -> Mapping[str, Any]:
        """What it gives as metadata."""
        found = self.document.get("metadata")
        return found if isinstance(found, dict) else {}


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A document that is no manifest."""

    message: str
    source: str
    text: DocumentText | None = None
    field: str = ""
    """What the message is about."""
    path: tuple[Step, ...] = ()
    is_syntax: bool = False
    """Whether it is no YAML and no JSON either."""

    @property
    def error(self) -> ManifestError:
        """What is raised for it."""
        return ManifestError(f"{self.source}: {self.message}")


def read_manifests(*given: Manifests) -> list[Manifest]:
    """Everything that was given, in an order in which it can be applied (`creation_rank`).

    Of a folder, the files ending in .json, .yaml and .yml in the order of their names, without folders in it, as
    kubectl takes them. A List is its items. Raises ManifestError.
    """
    found = []
    for one in given:
        for manifest in _read(one, "document"):
            if isinstance(manifest, Unreadable):
                raise manifest.error
            if manifest.duplicates:
                raise ManifestError(f"{manifest.source}: {duplicate_text(manifest)}")
            found.append(manifest)
    return in_creation_order(found)


def in_creation_order(manifests: Iterable[Manifest]) -> list[Manifest]:
    """Manifests so that each comes behind those that it needs; otherwise in the order in which they are given."""
    return sorted(manifests, key=lambda manifest: creation_rank(manifest.api_version, manifest.kind))


def manifests_in(text: str, source: str) -> Iterator[Manifest | Unreadable]:
    """The objects of YAML or JSON text, each with its place, and what is none. Keys that are there twice are told."""
    for document in documents_in(text, source):
        where = f"{source}, document at line {document.first_line}"
        try:
            data, repeats = _parsed(document)
        except DecodeError as error:
            yield Unreadable(error.message, where, document, is_syntax=True)
            continue
        duplicates = tuple(document.duplicates) if repeats else ()
        yield from _objects(data, where, document, duplicates=duplicates)


def duplicate_text(manifest: Manifest) -> str:
    """What is said of keys that are there twice."""
    return ", ".join(f'line {position.line}: key "{path}" already set in map' for path, position in manifest.duplicates)


def text_of(path: Path) -> str:
    """What stands in a file. Raises ManifestError where it cannot be read, or is not UTF-8."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise ManifestError(f"{path}: {why}") from None


def _parsed(document: DocumentText) -> tuple[Any, bool]:
    """The data of a text, and whether keys may be there twice. Raises DecodeError."""
    body = document.text.encode("utf-8", "surrogatepass")
    if document.is_json:
        data = parse_json(body)
        return data, may_have_duplicates(body, data)
    read = read_yaml(body)
    return read.data, bool(read.strict_errors)


def _read(given: Manifests, source: str) -> Iterator[Manifest | Unreadable]:
    if isinstance(given, Mapping):
        yield from _objects(dict(given), source)
    elif isinstance(given, str) and ("\n" in given or given.lstrip().startswith("{")):
        yield from manifests_in(given, "text")
    elif isinstance(given, str | os.PathLike):
        yield from _of_path(Path(given))
    elif isinstance(given, Iterable):
        for number, one in enumerate(given, start=1):
            yield from _read(one, f"{source} {number}")
    else:
        raise ManifestError(f"{source}: neither a path nor text nor a document, but {type(given).__name__}")


def _of_path(path: Path) -> Iterator[Manifest | Unreadable]:
    if path.is_dir():
        files = sorted(file for file in path.iterdir() if file.suffix in SUFFIXES and file.is_file())
        if not files:
            raise ManifestError(f"{path}: no file in this folder ends in {', '.join(SUFFIXES)}")
        for file in files:
            yield from _of_path(file)
        return
    yield from manifests_in(text_of(path), str(path))


def _objects(
    data: Any,
    source: str,
    text: DocumentText | None = None,
    path: tuple[Step, ...] = (),
    duplicates: tuple[tuple[str, Position], ...] = (),
) -> Iterator[Manifest | Unreadable]:
    if not isinstance(data, dict):
        yield Unreadable("not an object", source, text, "", path)
        return
    for key in ("apiVersion", "kind"):
        if not isinstance(data.get(key), str) or not data[key]:
            yield Unreadable(f"{key} is missing", source, text, key, path)
            return
    if not data["kind"].endswith("List") or not isinstance(data.get("items"), list):
        yield Manifest(data, source, text, path, duplicates)
        return
    for number, item in enumerate(data["items"]):
        here = (*path, "items", number)
        inside = tuple(one for one in duplicates if one[0].startswith(_written(here)))
        yield from _objects(_with_kind(item, data), f"{source}, item {number + 1}", text, here, inside)


def _with_kind(item: Any, of: Mapping[str, Any]) -> Any:
    """An item of a list of one kind need not say what it is."""
    if not isinstance(item, dict) or "kind" in item or of["kind"] == "List":
        return item
    return {"apiVersion": of["apiVersion"], "kind": of["kind"].removesuffix("List"), **item}


def _written(path: tuple[Step, ...]) -> str:
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text
