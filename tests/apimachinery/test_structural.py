import re
from typing import Any

import pytest

from memkube.apimachinery.patches import apply_strategic_merge_patch
from memkube.apimachinery.structural import StructuralSchema, struct_of_document

PART = {"type": "object", "properties": {"name": {"type": "string"}, "size": {"type": "integer", "default": 1}}}
PARTS = {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"], "items": PART}


def schema(**spec: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"spec": {"type": "object", "properties": spec}}}


@pytest.mark.parametrize(
    ("node", "why"),
    [
        ({"type": "string", "pattern": "a"}, "schemas with pattern are not served: spec.field"),
        ({"type": "string", "format": "ipv4"}, "the format ipv4 is not served: spec.field"),
        ({"type": "integer", "format": "byte"}, "the format byte is not served: spec.field"),
        ({"description": "Anything."}, "a schema needs a type: spec.field"),
        ({"type": "array"}, "a list needs items: spec.field"),
        ({"type": "array", "items": {"$ref": "#/a"}}, "schemas with $ref are not served: spec.field[*]"),
    ],
)
def test_what_kinds_of_the_reference_do_not_say_is_refused(node: dict[str, Any], why: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(why)}$"):
        struct_of_document(schema(field=node), "Thing")


@pytest.mark.parametrize(
    ("node", "why"),
    [
        (
            {"description": "Anything."},
            "properties[spec].properties[field].type: Required value: must not be empty for ",
        ),
        ({"type": "array"}, "properties[spec].properties[field].items: Required value: must be specified"),
        ({"type": "string", "$ref": "#/a"}, "schemas of Thing with $ref are not served: spec.field"),
    ],
)
def test_a_schema_that_is_not_structural_is_refused(node: dict[str, Any], why: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(why)}"):
        StructuralSchema(schema(field=node), "Thing")


def test_unknown_fields_are_pruned_and_named_in_their_order() -> None:
    made = StructuralSchema(schema(parts=PARTS), "Thing")
    document = {"kind": "Thing", "metadata": {"name": "a"}, "other": 1, "spec": {"parts": [{"name": "b", "b": 2}]}}
    kept, unknown = made.prune(document)
    assert kept == {"kind": "Thing", "metadata": {"name": "a"}, "spec": {"parts": [{"name": "b"}]}}
    assert unknown == ["other", "spec.parts[0].b"]


def test_defaults_are_filled_in_wherever_their_parent_is() -> None:
    made = StructuralSchema(schema(parts=PARTS), "Thing")
    assert made.default({"spec": {"parts": [{"name": "a"}, {"name": "b", "size": 2}]}}) == {
        "spec": {"parts": [{"name": "a", "size": 1}, {"name": "b", "size": 2}]}
    }


def test_null_takes_the_default_unless_it_is_a_value() -> None:
    nullable = {"type": "string", "nullable": True, "default": "a"}
    made = StructuralSchema(schema(one={"type": "string", "default": "a"}, other=nullable), "Thing")
    assert made.default({"spec": {"one": None, "other": None}}) == {"spec": {"one": "a", "other": None}}


def test_a_struct_merges_lists_by_the_keys_of_its_document() -> None:
    merged = {**PARTS, "x-kubernetes-patch-strategy": "merge", "x-kubernetes-patch-merge-key": "name"}
    struct = struct_of_document(schema(parts=merged), "Thing")
    document = {"spec": {"parts": [{"name": "a", "size": 1}]}}
    patch = {"spec": {"parts": [{"name": "b", "size": 2}]}}
    changed = apply_strategic_merge_patch(document, patch, struct)
    assert sorted(part["name"] for part in changed["spec"]["parts"]) == ["a", "b"]
