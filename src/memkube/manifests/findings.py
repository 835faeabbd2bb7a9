"""Errors and warnings that ``memkube validate`` reports about manifests, with their positions in files."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from memkube.cluster.manifest_text import Position
from memkube.cluster.manifests import Manifest

Level: TypeAlias = Literal["error", "warning"]
NOWHERE = Position(1, 1, 1, 1)


@dataclass(frozen=True, slots=True)
class Subject:
    """The apiVersion, kind, namespace and name of the object that an error or warning is about."""

    api_version: str
    kind: str
    namespace: str
    name: str

    def __str__(self) -> str:
        """Return a text such as ``Deployment shop/web``."""
        return f"{self.kind} {'/'.join(filter(None, (self.namespace, self.name)))}".rstrip()


def subject_of(manifest: Manifest, namespace: str = "") -> Subject:
    """Return the apiVersion, kind and name of a manifest's object, with the namespace `namespace`.

    If the object has no name, its generateName is used.
    """
    metadata = manifest.metadata
    name = str(metadata.get("name") or metadata.get("generateName") or "")
    return Subject(manifest.api_version, manifest.kind, namespace, name)


@dataclass(frozen=True, slots=True)
class Finding:
    """An error or warning about a manifest."""

    level: Level
    rule: str
    """Name of the violated rule.

    This is the API's reason if it has one, such as ``FieldValueRequired`` or ``Forbidden``.
    """
    message: str
    """Error message: the server's own if the server refused the manifest or returned a warning."""
    file: str
    position: Position = NOWHERE
    subject: Subject | None = None
    field: str = ""
    """The path of the field that the finding is about, or empty if it is about the whole object."""


@dataclass(slots=True)
class Report:
    """The findings and statistics of one run of ``memkube validate``."""

    findings: list[Finding] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    """Files in the order in which they were read."""
    manifests: int = 0
    """Number of YAML documents and of items of Lists, including those that cannot be read."""
    wrong: int = 0
    """Number of manifests with an error."""
    skipped: int = 0
    """Number of manifests that were skipped because no CustomResourceDefinition of their kind was given."""
    made_namespaces: list[str] = field(default_factory=list)
    """Namespaces that were assumed to exist, because objects are in them and no manifest defines them."""
    judges: int = 0
    """Number of webhook configurations, quotas and APIServices.

    They were validated, but had no effect on the validation of other manifests.
    """

    def count(self, level: Level) -> int:
        """Return the number of findings with this level, which is error or warning."""
        return sum(finding.level == level for finding in self.findings)

    def in_order(self) -> Iterator[Finding]:
        """Return the findings sorted by file, line and column."""
        places = {file: index for index, file in enumerate(self.files)}
        return iter(
            sorted(self.findings, key=lambda f: (places.get(f.file, -1), f.position.line, f.position.column, f.message))
        )
