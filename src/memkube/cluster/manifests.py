"""Manifests, wherever they are: files, folders, text, documents."""

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias

from memkube.apimachinery.decoding import DecodeError, read_yaml
from memkube.errors import ManifestError

Manifests: TypeAlias = "str | os.PathLike[str] | Mapping[str, Any] | Iterable[Manifests]"
"""A path, or YAML or JSON text where it has more than one line or begins with a brace, or a document, or many."""

_SUFFIXES: Final = (".json", ".yaml", ".yml")
_BREAK: Final = "\n"
_FIRST: Final = {"CustomResourceDefinition": 0, "Namespace": 1}
_separator: Final = re.compile(r"(?m)^---(?:[ \t].*)?\r?$")
_says_something: Final = re.compile(r"(?m)^[ \t]*[^#\s]").search


@dataclass(frozen=True, slots=True)
class Manifest:
    """One object as somebody wrote it down."""

    document: dict[str, Any]
    source: str
    """Where it stands, for messages."""

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


def read_manifests(*given: Manifests) -> list[Manifest]:
    """Everything that was given, in an order in which it can be applied: definitions, namespaces, all else.

    Of a folder, the files ending in .json, .yaml and .yml in the order of their names, without folders in it, as
    kubectl takes them. A List is its items. Raises ManifestError.
    """
    found = [manifest for one in given for manifest in _read(one, "document")]
    return sorted(found, key=lambda manifest: _FIRST.get(manifest.kind, len(_FIRST)))


def _read(given: Manifests, source: str) -> Iterator[Manifest]:
    if isinstance(given, Mapping):
        yield from _objects(dict(given), source)
    elif isinstance(given, str) and ("\n" in given or given.lstrip().startswith("{")):
        yield from _of_text(given, "text")
    elif isinstance(given, str | os.PathLike):
        yield from _of_path(Path(given))
    elif isinstance(given, Iterable):
        for number, one in enumerate(given, start=1):
            yield from _read(one, f"{source} {number}")
    else:
        raise ManifestError(f"{source}: neither a path nor text nor a document, but {type(given).__name__}")


def _of_path(path: Path) -> Iterator[Manifest]:
    if path.is_dir():
        files = sorted(file for file in path.iterdir() if file.suffix in _SUFFIXES and file.is_file())
        if not files:
            raise ManifestError(f"{path}: no file in this folder ends in {', '.join(_SUFFIXES)}")
        for file in files:
            yield from _of_path(file)
        return
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise ManifestError(f"{path}: {why}") from None
    yield from _of_text(text, str(path))


def _of_text(text: str, source: str) -> Iterator[Manifest]:
    begin = 0
    for end, next_begin in [*(found.span() for found in _separator.finditer(text)), (len(text), len(text))]:
        part, start = text[begin:end], begin
        begin = next_begin
        first = _says_something(part)
        if first is None:
            continue
        where = f"{source}, document at line {text.count(_BREAK, 0, start + first.end()) + 1}"
        try:
            read = read_yaml(part.encode())
        except DecodeError as error:
            raise ManifestError(f"{where}: {error.message}") from None
        if read.strict_errors:
            raise ManifestError(f"{where}: {read.strict_errors[0]}")
        yield from _objects(read.data, where)


def _objects(data: Any, source: str) -> Iterator[Manifest]:
    if not isinstance(data, dict):
        raise ManifestError(f"{source}: not an object")
    for key in ("apiVersion", "kind"):
        if not isinstance(data.get(key), str) or not data[key]:
            raise ManifestError(f"{source}: {key} is missing")
    if data["kind"].endswith("List") and isinstance(data.get("items"), list):
        for number, item in enumerate(data["items"], start=1):
            yield from _objects(item, f"{source}, item {number}")
    else:
        yield Manifest(data, source)
