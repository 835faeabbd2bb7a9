"""Reading manifests from files, folders, text and documents."""

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, TypeAlias

from memkube.apimachinery.decoding import DecodeError, parse_json
from memkube.apimachinery.decoding.json_body import may_have_duplicates
from memkube.apimachinery.decoding.yaml_body import read_yaml
from memkube.cluster.creation_order import creation_rank
from memkube.cluster.manifest_text import DocumentText, Position, Step, documents_in
from memkube.errors import ManifestError

Manifests: TypeAlias = "str | os.PathLike[str] | Mapping[str, Any] | Iterable[Manifests]"
"""A path, YAML or JSON text, a document, or an iterable of those. Text has a newline or begins with a brace."""

SUFFIXES: Final = (".json", ".yaml", ".yml")
"""Suffixes of the files that are read in a folder."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """One object of a manifest file, text or document."""

    document: dict[str, Any]
    source: str
    """File, line or other description of the origin of the manifest, for messages."""
    text: DocumentText | None = None
    """The text that contains the object; None if it was given as a document."""
    path: tuple[Step, ...] = ()
    """Path of the object in the document in `text`: empty unless the object is an item of a List."""
    duplicates: tuple[tuple[str, Position], ...] = field(default=(), repr=False)
    """Duplicate keys of the text, with their positions."""

    @property
    def api_version(self) -> str:
        """Group and version of the object's kind, such as ``apps/v1``."""
        return str(self.document["apiVersion"])

    @property
    def kind(self) -> str:
        """Kind of the object. It is never missing: a document without a kind is an InvalidDocument."""
        return str(self.document["kind"])

    @property
    def metadata(self) -> Mapping[str, Any]:
        """The metadata of the object; empty if there is none."""
        found = self.document.get("metadata")
        return found if isinstance(found, dict) else {}


@dataclass(frozen=True, slots=True)
class InvalidDocument:
    """A document that is not a manifest: it is malformed, or it is not an object with a kind."""

    message: str
    source: str
    text: DocumentText | None = None
    field: str = ""
    """Name of the invalid field; may be empty."""
    path: tuple[Step, ...] = ()
    is_syntax: bool = False
    """True if the text is neither YAML nor JSON."""

    @property
    def error(self) -> ManifestError:
        """Exception whose message says where the document is, and why it is invalid."""
        return ManifestError(f"{self.source}: {self.message}")


def read_manifests(*given: Manifests) -> list[Manifest]:
    """Return all objects in an order in which they can be applied (`creation_rank`).

    A folder is replaced by its files with the suffixes .json, .yaml and .yml, sorted by name and without subfolders, as
    in kubectl. A List is replaced by its items. Raises ManifestError for a document that is not a manifest or has
    duplicate keys, for a file that cannot be read, and for a folder without manifests.
    """
    found = []
    for one in given:
        for manifest in _read(one, "document"):
            if isinstance(manifest, InvalidDocument):
                raise manifest.error
            if manifest.duplicates:
                raise ManifestError(f"{manifest.source}: {duplicate_text(manifest)}")
            found.append(manifest)
    return in_creation_order(found)


def in_creation_order(manifests: Iterable[Manifest]) -> list[Manifest]:
    """Sort manifests by `creation_rank`. Manifests of equal rank keep their order."""
    return sorted(manifests, key=lambda manifest: creation_rank(manifest.api_version, manifest.kind))


def manifests_in(text: str, source: str) -> Iterator[Manifest | InvalidDocument]:
    """Yield a Manifest for each object in YAML or JSON text, and an InvalidDocument for each other document.

    An InvalidDocument is malformed or is not an object. `source` says where the text comes from, such as the file's
    path; it is part of error messages.
    """
    for document in documents_in(text, source):
        where = f"{source}, document at line {document.first_line}"
        try:
            data, repeats = _parsed(document)
        except DecodeError as error:
            yield InvalidDocument(error.message, where, document, is_syntax=True)
            continue
        duplicates = tuple(document.duplicates) if repeats else ()
        yield from _objects(data, where, document, duplicates=duplicates)


def duplicate_text(manifest: Manifest) -> str:
    """Return the error message that names the duplicate keys of a manifest."""
    return ", ".join(f'line {position.line}: key "{path}" already set in map' for path, position in manifest.duplicates)


def text_of(path: Path) -> str:
    """Return the content of a file. Raises ManifestError if it cannot be read or is not UTF-8."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise ManifestError(f"{path}: {why}") from None


def _parsed(document: DocumentText) -> tuple[Any, bool]:
    """Return the data in a YAML or JSON text, and whether the text may contain duplicate keys.

    Raises DecodeError if the text is malformed.
    """
    body = document.text.encode("utf-8", "surrogatepass")
    if document.is_json:
        data = parse_json(body)
        return data, may_have_duplicates(body, data)
    read = read_yaml(body)
    return read.data, bool(read.strict_errors)


def _read(given: Manifests, source: str) -> Iterator[Manifest | InvalidDocument]:
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
        raise ManifestError(f"{source}: must be a path, a text or a document, not {type(given).__name__}")


def _of_path(path: Path) -> Iterator[Manifest | InvalidDocument]:
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
) -> Iterator[Manifest | InvalidDocument]:
    if not isinstance(data, dict):
        yield InvalidDocument("not an object", source, text, "", path)
        return
    for key in ("apiVersion", "kind"):
        if not isinstance(data.get(key), str) or not data[key]:
            yield InvalidDocument(f"{key} is missing", source, text, key, path)
            return
    if not data["kind"].endswith("List") or not isinstance(data.get("items"), list):
        yield Manifest(data, source, text, path, duplicates)
        return
    for number, item in enumerate(data["items"]):
        here = (*path, "items", number)
        inside = tuple(one for one in duplicates if one[0].startswith(_written(here)))
        yield from _objects(_with_kind(item, data), f"{source}, item {number + 1}", text, here, inside)


def _with_kind(item: Any, of: Mapping[str, Any]) -> Any:
    """Return `item`, an item of the List `of`.

    An item without apiVersion and kind gets the apiVersion and kind that the List's kind implies.
    """
    if not isinstance(item, dict) or "kind" in item or of["kind"] == "List":
        return item
    return {"apiVersion": of["apiVersion"], "kind": of["kind"].removesuffix("List"), **item}


def _written(path: tuple[Step, ...]) -> str:
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text
