import re
from typing import Any

import pytest

from memkube.apimachinery.field_errors import FieldPath
from memkube.apimachinery.structural import StructuralSchema
from memkube.apimachinery.structural.values import validate_value

PART = {"type": "object", "properties": {"name": {"type": "string"}, "size": {"type": "integer", "default": 1}}}
PARTS = {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"], "items": PART}


def schema(**spec: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"spec": {"type": "object", "properties": spec}}}


@pytest.mark.parametrize(
    ("node", "why"),
    [
        (
            {"description": "Anything."},
            "properties[spec].properties[field].type: Required value: must not be empty for ",
        ),
        ({"type": "array"}, "properties[spec].properties[field].items: Required value: must be specified"),
        ({"type": "string", "$ref": "#/a"}, "the schema of Thing has the unsupported keyword $ref at spec.field"),
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


def test_each_enum_that_lacks_the_value_is_reported_once() -> None:
    node = {"type": "integer", "allOf": [{"enum": [7]}, {"enum": [8]}, {"enum": [7]}]}
    errors = [str(error) for error in validate_value(node, 1, FieldPath("f"))]
    assert errors[:2] == [
        'f: Unsupported value: 1: supported values: "7"',
        'f: Unsupported value: 1: supported values: "8"',
    ]
    assert len(errors) == 3
