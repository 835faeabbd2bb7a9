"""Compares two sets of objects, matched by group, kind, namespace and name, and writes the differences as diffs."""

import difflib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from memkube.endpoints.responses.yaml_text import to_yaml

Document: TypeAlias = dict[str, Any]
_SERVERS_METADATA: Final = (
    "creationTimestamp",
    "generation",
    "managedFields",
    "resourceVersion",
    "selfLink",
    "uid",
)
_CHOSEN_FOR_SERVICES: Final = ("clusterIP", "clusterIPs", "healthCheckNodePort")
_SECRET_FIELDS: Final = ("data", "stringData")
_CONTEXT_LINES: Final = 3


@dataclass(frozen=True, slots=True, order=True)
class Identity:
    """The group, kind, namespace and name of an object, whatever its version."""

    group: str
    kind: str
    namespace: str
    name: str

    def __str__(self) -> str:
        """Return a text such as ``Deployment.apps shop/web``."""
        kind = f"{self.kind}.{self.group}" if self.group else self.kind
        return f"{kind} {'/'.join(filter(None, (self.namespace, self.name)))}"


@dataclass(slots=True)
class Side:
    """The objects on one side of a comparison: the old ones, or the new ones."""

    objects: dict[Identity, Document] = field(default_factory=dict)
    sources: dict[Identity, str] = field(default_factory=dict)
    """Source of each object: the file and line, or the snapshot entry, that it was read from."""
    chosen: dict[Identity, frozenset[str]] = field(default_factory=dict)
    """Fields of specs whose value the server chose, because the manifest did not."""
    keeps_status: bool = False
    """True if the status of the objects comes from a server, and not from a manifest."""
    unknown: set[str] = field(default_factory=set)
    """Kinds that the server does not know, whose objects are compared as written, without defaults."""


@dataclass(frozen=True, slots=True)
class Difference:
    """An object whose content differs between the two sides, or that only one side has."""

    sign: str
    """``+`` for a new object, ``-`` for a removed one, ``~`` for a changed one."""
    identity: Identity
    lines: Sequence[str]
    """A unified diff of the object's YAML, with a heading."""


def reduce_to_common(old: Side, new: Side) -> None:
    """Remove the metadata that a server sets, such as uid, from the objects of both sides of a comparison.

    The field ``status`` of all objects is removed too, unless both sides are snapshots. The objects of manifests have
    no status that could be compared, because no server has set it.
    """
    status = old.keeps_status and new.keeps_status
    for side in (old, new):
        side.objects = {key: _without_servers_part(document, status=status) for key, document in side.objects.items()}


def _without_servers_part(document: Document, *, status: bool) -> Document:
    metadata = document.get("metadata")
    kept = {key: value for key, value in document.items() if status or key != "status"}
    if isinstance(metadata, dict):
        uid = metadata.get("uid")
        kept["metadata"] = {key: value for key, value in metadata.items() if key not in _SERVERS_METADATA}
        if isinstance(uid, str) and uid:
            kept = without_text(kept, uid, "<uid>")
    return kept


def without_text(value: Any, text: str, instead: str) -> Any:
    """Replace each string that equals `text` in a nested value with `instead`.

    Used for values that differ in every cluster, such as the uid of a Job, which the Job's selector contains.
    """
    if isinstance(value, Mapping):
        return {key: without_text(item, text, instead) for key, item in value.items()}
    if isinstance(value, list):
        return [without_text(item, text, instead) for item in value]
    return instead if value == text else value


def chosen_by_server(given: Document, stored: Document) -> frozenset[str]:
    """Return the names of the spec fields of a Service that the manifest leaves out and the server sets.

    `given` is the object in the manifest, and `stored` the object that the server stored. For other kinds, the result
    is empty.
    """
    if stored.get("kind") != "Service" or stored.get("apiVersion") != "v1":
        return frozenset()
    spec, asked = stored.get("spec") or {}, given.get("spec") or {}
    fields = {name for name in _CHOSEN_FOR_SERVICES if name in spec and name not in asked}
    if not any(isinstance(port, dict) and "nodePort" in port for port in asked.get("ports") or ()):
        fields.add("nodePort")
    return frozenset(fields)


def differences(old: Side, new: Side, *, secrets: bool) -> Iterator[Difference]:
    """Return the differences between the sides, sorted by group, kind, namespace and name.

    The values of Secrets are masked unless `secrets` is True.
    """
    for identity in sorted({*old.objects, *new.objects}):
        chosen = old.chosen.get(identity, frozenset()) | new.chosen.get(identity, frozenset())
        before = _shown(old.objects.get(identity), chosen)
        after = _shown(new.objects.get(identity), chosen)
        if before == after:
            continue
        if (identity.group, identity.kind) == ("", "Secret") and not secrets:
            before, after = _masked(before, after)
        yield _difference(identity, (before, old.sources.get(identity)), (after, new.sources.get(identity)))


def _difference(
    identity: Identity, old: tuple[Document | None, str | None], new: tuple[Document | None, str | None]
) -> Difference:
    sign = "+" if old[0] is None else "-" if new[0] is None else "~"
    lines = difflib.unified_diff(
        _lines(old[0]), _lines(new[0]), old[1] or "/dev/null", new[1] or "/dev/null", lineterm="", n=_CONTEXT_LINES
    )
    return Difference(sign, identity, [f"diff {identity}", *lines])


def _lines(document: Document | None) -> list[str]:
    return [] if document is None else to_yaml(document).decode().splitlines()


def _shown(document: Document | None, chosen: frozenset[str]) -> Document | None:
    """Return a document without the fields of its spec that are named in `chosen`."""
    if document is None or not chosen or not isinstance(document.get("spec"), dict):
        return document
    spec = {key: value for key, value in document["spec"].items() if key not in chosen}
    if "nodePort" in chosen and isinstance(spec.get("ports"), list):
        spec["ports"] = [{k: v for k, v in port.items() if k != "nodePort"} for port in spec["ports"]]
    return {**document, "spec": spec}


def _masked(old: Document | None, new: Document | None) -> tuple[Document | None, Document | None]:
    """Return the old and the new version of a Secret with masked values.

    A value that both versions have becomes ``***``. Other values become ``*** (before)`` and ``*** (after)``, so that a
    diff shows their keys.
    """
    masked: list[Document | None] = []
    for mine, other, when in ((old, new, "before"), (new, old, "after")):
        if mine is None:
            masked.append(None)
            continue
        copy = dict(mine)
        for part in _SECRET_FIELDS:
            if isinstance(mine.get(part), dict):
                beside = (other or {}).get(part) or {}
                copy[part] = {key: _mask(value, beside.get(key, value), when) for key, value in mine[part].items()}
        masked.append(copy)
    return masked[0], masked[1]


def _mask(value: object, other: object, when: str) -> str:
    return "***" if value == other else f"*** ({when})"


def brief(found: Iterable[Difference]) -> Iterator[str]:
    """Return one line for each of the differences `found`, such as ``~ Deployment.apps shop/web``."""
    return (f"{difference.sign} {difference.identity}" for difference in found)
