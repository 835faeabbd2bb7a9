"""Makes plans for runs that change fields of the workload's custom resources to other values that the schema allows."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any, Final, NamedTuple

from memkube.apimachinery.model import Document
from memkube.hunting.description import Hunt, PatchedTarget, Step
from memkube.hunting.plan import Plan
from memkube.hunting.run import Observation

_MOST_DEPTH: Final = 4
_MOST_RESOURCES: Final = 2
"""Maximum number of custom resources of one kind whose fields are changed."""
_ANOTHER: Final = "another"
_LOOSE: Final = "x-kubernetes-preserve-unknown-fields"

Schema = Mapping[str, Any]
Path = tuple[str, ...]


class Variant(NamedTuple):
    """A field of a custom resource, and another value that a run of the search for bugs writes to the field."""

    path: Path
    value: Any
    """Value of the field in the merge patch that makes the change. None removes the field."""
    back: Any
    """Value of the field in the merge patch that undoes the change. None removes the field."""
    is_edge: bool
    """True for values that operators often handle wrongly: zero, the minimum, an empty value, or a removed
    field."""


@dataclass(frozen=True, slots=True)
class _Resource:
    document: Document
    schema: Schema
    is_gone: bool
    """True if the resource does not exist after the last step of the workload."""
    earlier: Sequence[Document]
    """Earlier revisions of the custom resource in the observed run."""

    def changed(self, path: Path) -> bool:
        """Return True if the field at this path changed during the observed run."""
        values = [_at(one, path) for one in (*self.earlier, self.document)]
        return any(value != values[0] for value in values)

    def seen(self, path: Path) -> list[Any]:
        """Return the values that the field at this path had in earlier revisions, except its present value."""
        now = _at(self.document, path)
        values = [_at(one, path) for one in self.earlier]
        return [value for number, value in enumerate(values) if value != now and value not in values[:number]]


def generated_inputs(hunt: Hunt, observed: Observation) -> Iterator[Plan]:
    """Yield plans that change custom resources after the last step of the workload of `hunt`.

    The custom resources are those of `observed`, a run without faults. If the workload deletes one, the plan first
    creates it again. For each resource, one plan changes many fields and then restores their values, and further plans
    do so with one value that operators often handle wrongly (`Variant.is_edge`). Every other plan changes one field to
    one value. If the field did not change in this run, the plan first gives it another value, if there is an ordinary
    one.
    """
    for resource in _resources(observed):
        spec = resource.document.get("spec")
        if not isinstance(spec, Mapping):
            continue
        schema = resource.schema.get("properties", {}).get("spec", {})
        found = list(_variants(resource, schema, spec, ("spec",)))
        is_typed = _is_careful(schema)
        first = [_restored(resource)] if resource.is_gone else []
        edges = [[one] for one in found if one.is_edge and len(found) > 1]
        for number, variants in enumerate([found, *edges] if found else []):
            steps = [_step(resource, one.path, one.value) for one in variants]
            steps += [_step(resource, one.path, one.back) for one in reversed(variants)]
            gets = "other values" if number == 0 else _shown(variants)
            about = f"{_name(resource)} gets {gets} and then its old value{'' if number else 's'} again"
            yield Plan(
                pattern="inputs",
                about=about,
                promise=9 if number == 0 else 7,
                disturbances=[],
                steps=[*first, *steps],
                returns=True,
                is_typed=is_typed,
            )
        for number, one in enumerate(found):
            usual = [other for other in found if other.path == one.path and not other.is_edge and other != one]
            before = [] if resource.changed(one.path) or not usual else usual[:1]
            about = f"{_name(resource)} is changed to {_shown([*before, one])}, which must end as a fresh start"
            steps = [_step(resource, each.path, each.value) for each in (*before, one)]
            yield Plan(
                pattern="inputs",
                about=about,
                promise=8 + one.is_edge - number / 100,
                disturbances=[],
                steps=[*first, *steps],
                is_typed=is_typed,
                is_new=not resource.changed(one.path),
            )


def _resources(observed: Observation) -> Iterator[_Resource]:
    definitions: dict[tuple[str, str], Schema] = {}
    revisions: dict[tuple[str, str], list[Document]] = {}
    gone: set[tuple[str, str]] = set()
    for change in observed.changes:
        document = change.document
        if change.kind == "CustomResourceDefinition":
            group, kind = document["spec"]["group"], document["spec"]["names"]["kind"]
            for version in document["spec"]["versions"]:
                schema = (version.get("schema") or {}).get("openAPIV3Schema") or {}
                definitions[f"{group}/{version['name']}", kind] = schema
            continue
        key = (change.kind, change.name)
        revisions.setdefault(key, [])
        if change.what == "deleted":
            gone.add(key)
        elif "deletionTimestamp" not in document["metadata"]:
            gone.discard(key)
            revisions[key].append(document)
    counts: dict[str, int] = {}
    for key, documents in revisions.items():
        if not documents:
            continue
        newest = documents[-1]
        schema = definitions.get((newest["apiVersion"], newest["kind"]))
        if schema is None or counts.get(key[0], 0) >= _MOST_RESOURCES:
            continue
        if any(one.get("controller") for one in newest["metadata"].get("ownerReferences", ())):
            continue
        counts[key[0]] = counts.get(key[0], 0) + 1
        yield _Resource(newest, schema, key in gone, documents[:-1])


def _variants(resource: _Resource, schema: Schema, value: Any, path: Path) -> Iterator[Variant]:
    """Yield other values for a field of a custom resource, and for the fields inside its value."""
    if len(path) > _MOST_DEPTH:
        return
    if isinstance(value, Mapping):
        yield from _of_object(resource, schema, value, path)
    elif "enum" in schema or isinstance(value, str):
        others = [one for one in schema.get("enum", resource.seen(path)) if isinstance(one, str) and one != value]
        for other in others[:2]:
            yield Variant(path, other, value, is_edge=False)
    elif isinstance(value, bool):
        yield Variant(path, not value, value, is_edge=False)
    elif isinstance(value, int):
        least, most = ceil(schema.get("minimum", 0)), schema.get("maximum", value + 1)
        for number in dict.fromkeys((value + 1, value - 1, 0, least)):
            if least <= number <= most and number != value:
                yield Variant(path, number, value, is_edge=number in (0, least))
    elif isinstance(value, list):
        yield from _of_list(schema, value, path)


def _of_object(resource: _Resource, schema: Schema, value: Mapping[str, Any], path: Path) -> Iterator[Variant]:
    entries = schema.get("additionalProperties")
    if isinstance(entries, Mapping):
        yield from _of_map(entries, value, path)
        return
    known = schema.get("properties", {})
    required = schema.get("required", [])
    for name in [*value, *(other for other in known if other not in value)]:
        inner = known.get(name, {})
        if name not in value:
            yield from _added(inner, (*path, name))
            continue
        yield from _variants(resource, inner, value[name], (*path, name))
        if (required and name not in required) or "default" in inner or inner.get("nullable"):
            yield Variant((*path, name), None, value[name], is_edge=True)


def _of_map(entries: Schema, value: Mapping[str, Any], path: Path) -> Iterator[Variant]:
    if entries.get("type") == "string" and "enum" not in entries and "pattern" not in entries:
        yield Variant(path, {_ANOTHER: "value"}, {_ANOTHER: None}, is_edge=False)
    if value:
        last = [*value][-1]
        yield Variant(path, {last: None}, {last: value[last]}, is_edge=True)
    if len(value) > 1:
        yield Variant(path, dict.fromkeys(value), dict(value), is_edge=True)


def _of_list(schema: Schema, value: Sequence[Any], path: Path) -> Iterator[Variant]:
    entries = schema.get("items", {})
    is_plain = all(isinstance(one, str) for one in value) and "enum" not in entries and "pattern" not in entries
    if is_plain and (value or entries.get("type") == "string") and len(value) < schema.get("maxItems", len(value) + 1):
        yield Variant(path, [*value, _ANOTHER], value, is_edge=False)
    if len(value) > max(1, schema.get("minItems", 0)):
        yield Variant(path, value[:-1], value, is_edge=True)
        yield Variant(path, value[1:], value, is_edge=True)
    if value and not schema.get("minItems"):
        yield Variant(path, [], value, is_edge=True)


def _added(schema: Schema, path: Path) -> Iterator[Variant]:
    """Yield values for a field that the schema allows and the custom resource does not have yet."""
    kind, entries = schema.get("type"), schema.get("items", {})
    if schema.get("enum"):
        yield Variant(path, schema["enum"][-1], None, is_edge=False)
    elif kind == "boolean":
        yield Variant(path, not schema.get("default", False), None, is_edge=False)
    elif kind == "integer":
        yield Variant(path, max(schema.get("minimum", 1), 1), None, is_edge=False)
    elif kind == "array" and entries.get("type") == "string" and not {"enum", "pattern", "format"} & {*entries}:
        yield Variant(path, [_ANOTHER], None, is_edge=False)
    elif kind == "object" and schema.get("additionalProperties", {}) == {"type": "string"}:
        yield Variant(path, {_ANOTHER: "value"}, None, is_edge=False)


def _is_careful(schema: Schema) -> bool:
    """Return True if the schema, or the schema of a field inside it, lists required fields or has defaults.

    The author of such a schema has decided which fields may be absent, so the operator must work if they are.
    """
    if schema.get(_LOOSE):
        return False
    parts = list(schema.get("properties", {}).values())
    return bool(schema.get("required")) or any("default" in part or _is_careful(part) for part in parts)


def _step(resource: _Resource, path: Path, value: Any) -> Step:
    patch = value
    for name in reversed(path):
        patch = {name: patch}
    document = resource.document
    metadata = document["metadata"]
    target = {"apiVersion": document["apiVersion"], "kind": document["kind"], "name": metadata["name"]}
    return Step(patch=PatchedTarget(**target, namespace=metadata.get("namespace", ""), patch=patch))


def _restored(resource: _Resource) -> Step:
    document, metadata = resource.document, resource.document["metadata"]
    kept = {name: metadata[name] for name in ("name", "namespace") if name in metadata}
    names = ("apiVersion", "kind", "spec")
    return Step(apply={**{name: document[name] for name in names}, "metadata": kept})


def _name(resource: _Resource) -> str:
    return f"{resource.document['kind']} {resource.document['metadata']['name']}"


def _shown(variants: Sequence[Variant]) -> str:
    shown = [f"{'.'.join(one.path)} = {one.value!r}" for one in variants]
    return ", then ".join(shown).replace("= None", "removed")


def _at(document: Any, path: Path) -> Any:
    for name in path:
        document = document.get(name) if isinstance(document, Mapping) else None
    return document
