"""Finds the manifest files that the command's arguments name, and recognises templates that are not manifests."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, TextIO

from memkube.cluster.manifest_text import DocumentText
from memkube.cluster.manifests import SUFFIXES, InvalidDocument, Manifest, manifests_in, text_of
from memkube.errors import ManifestError
from memkube.manifests.findings import Finding

_KUSTOMIZATIONS: Final = ("kustomization.yaml", "kustomization.yml", "Kustomization")
_KUSTOMIZE_GROUP: Final = "kustomize.config.k8s.io/"
_INPUT: Final = "stdin"
_CHART: Final = "Chart.yaml"
_is_template: Final = re.compile(r"\{\{-?\s*[.$\w\"`(/]").search


@dataclass(slots=True)
class Source:
    """A file that the command's arguments name, with its content."""

    file: str
    found: list[Manifest | InvalidDocument] = field(default_factory=list)
    refusal: Finding | None = None
    """The reason why the file is not read, if it is a Helm or Kustomize file."""


def sources(paths: Sequence[str], standard_input: TextIO, exclude: Sequence[str] = ()) -> Iterator[Source]:
    """Yield the manifest files that `paths` name, each file once; ``-`` stands for `standard_input`.

    A folder stands for all files with the endings .json, .yaml and .yml in it and in folders below it, sorted by name.
    Files and folders are left out if their name begins with a dot or matches a pattern of `exclude`. A Kustomize or
    Helm folder is not read: it is a single Source, with the reason. The iteration raises ManifestError at a file that
    cannot be read, and at a folder without such files.
    """
    seen: set[Path] = set()
    for path in paths:
        if path == "-":
            yield _source(_INPUT, _read(standard_input))
            continue
        found = False
        for file in _files(Path(path), exclude, ()):
            found = True
            if isinstance(file, Source):
                yield file
            elif file.resolve() not in seen:
                seen.add(file.resolve())
                yield _source(str(file), text_of(file))
        if not found:
            raise ManifestError(f"{path}: no file in this folder ends in {', '.join(SUFFIXES)}")


def _read(standard_input: TextIO) -> str:
    try:
        return standard_input.read()
    except ValueError:
        raise ManifestError(f"{_INPUT}: it is not UTF-8") from None


def _files(path: Path, exclude: Sequence[str], above: tuple[Path, ...]) -> Iterator[Path | Source]:
    if not path.is_dir():
        yield path
        return
    real = path.resolve()
    if real in above:
        # Skip a symbolic link to a folder above it, because that folder is already being read.
        return
    refused = _refused_folder(path)
    if refused is not None:
        yield refused
        return
    for below in sorted(path.iterdir()):
        if below.name.startswith(".") or any(below.match(pattern) for pattern in exclude):
            continue
        if below.is_dir() or (below.suffix in SUFFIXES and below.is_file()):
            yield from _files(below, exclude, (*above, real))


def _refused_folder(folder: Path) -> Source | None:
    for name in _KUSTOMIZATIONS:
        if (folder / name).is_file():
            return Source(str(folder / name), refusal=_kustomize(str(folder / name), folder))
    if (folder / _CHART).is_file():
        return Source(str(folder / _CHART), refusal=_helm(str(folder / _CHART), folder))
    return None


def _source(file: str, text: str) -> Source:
    found = list(manifests_in(text, file))
    return Source(file, found, _refusal(file, found))


def _refusal(file: str, found: Sequence[Manifest | InvalidDocument]) -> Finding | None:
    path = Path(file)
    if path.name == _CHART:
        return _helm(file, path.parent)
    for one in found:
        if isinstance(one, Manifest):
            if one.api_version.startswith(_KUSTOMIZE_GROUP):
                return _kustomize(file, path.parent)
        elif one.text is not None and (template := _is_template(one.text.text)):
            return _helm(file, path.parent, one.text, template.start())
    return None


def _kustomize(file: str, folder: Path) -> Finding:
    how = f"kubectl kustomize {folder} | memkube validate -"
    return Finding("error", "Kustomize", f"not a manifest, but input of kustomize: {how}", file)


def _helm(file: str, folder: Path, text: DocumentText | None = None, at: int = 0) -> Finding:
    message = f"not a manifest, but input of Helm: helm template {_chart(folder)} | memkube validate -"
    if text is None:
        return Finding("error", "Helm", message, file)
    return Finding("error", "Helm", message, file, text.position_at(at))


def _chart(folder: Path) -> str:
    """Return the folder of the Helm chart that a template belongs to, or ``CHART`` if none is found."""
    found = next((f for f in (folder, *folder.parents) if (f / _CHART).is_file()), None)
    return str(found) if found is not None else "CHART"
