"""What is found wrong with manifests, each with its place."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from memkube.cluster.manifest_text import Position
from memkube.cluster.manifests import Manifest

Level: TypeAlias = Literal["error", "warning"]
NOWHERE = Position(1, 1, 1, 1)


@dataclass(frozen=True, slots=True)
class Subject:
    """The object that something is said about."""

    api_version: str
    kind: str
    namespace: str
    name: str

    def __str__(self) -> str:
        """Such as ``Deployment shop/web``."""
        return f"{self.kind} {'/'.join(filter(None, (self.namespace, self.name)))}".rstrip()


def subject_of(manifest: Manifest, namespace: str = "") -> Subject:
    """What a manifest calls its object; of a generated name, how it begins."""
    metadata = manifest.metadata
    name = str(metadata.get("name") or metadata.get("generateName") or "")
    return Subject(manifest.api_version, manifest.kind, namespace, name)


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong, or that the server warns of."""

    level: Level
    rule: str
    """The kind of mistake, as the API names it where it has a name: ``FieldValueRequired``, ``Forbidden``…"""
    message: str
    """The server's own words, where it has said something."""
    file: str
    position: Position = NOWHERE
    subject: Subject | None = None
    field: str = ""
    """The path of the field that it is about, where it is about one."""


@dataclass(slots=True)
class Report:
    """What has come of checking some files."""

    findings: list[Finding] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    """In the order in which they were read."""
    manifests: int = 0
    """Documents and items of Lists, whether they could be read or not."""
    wrong: int = 0
    """Those about which there is an error."""
    skipped: int = 0
    """Manifests of kinds that nobody has defined, which were let pass."""
    made_namespaces: list[str] = field(default_factory=list)
    """Namespaces that no manifest defines."""
    judges: int = 0
    """Webhook configurations, quotas and API services: they were checked, and not asked about the others."""

    def count(self, level: Level) -> int:
        """How many findings of a level there are."""
        return sum(finding.level == level for finding in self.findings)

    def in_order(self) -> Iterator[Finding]:
        """The findings by file, line and column."""
        places = {file: place for place, file in enumerate(self.files)}
        return iter(
            sorted(self.findings, key=lambda f: (places.get(f.file, -1), f.position.line, f.position.column, f.message))
        )
