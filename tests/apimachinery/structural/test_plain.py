from typing import Any

import pytest

from memkube.apimachinery.decoding import parse_json
from memkube.apimachinery.structural import StructuralSchema

TEXT = {"type": "string"}
KEYED = {
    "type": "array",
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["name"],
    "items": {"type": "object", "required": ["name"], "properties": {"name": TEXT}},
}
OPEN = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
FORMS = {"anyOf": [{"type": "integer"}, {"type": "string"}]}


def schema_of(field: dict[str, Any]) -> StructuralSchema:
    return StructuralSchema({"type": "object", "properties": {"field": field}}, "Thing")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ({**TEXT, "minLength": 1, "maxLength": 3, "pattern": "^a"}, "abc"),
        ({**TEXT, "enum": ["a", "b"]}, "b"),
        ({**TEXT, "format": "date-time"}, "2024-05-06T07:08:09Z"),
        ({"type": "integer", "minimum": -1, "maximum": 3, "format": "int32"}, 3),
        ({"type": "number"}, 1.5),
        ({"type": "boolean"}, False),
        ({"x-kubernetes-int-or-string": True, **FORMS}, "10%"),
        ({"type": "array", "items": TEXT, "x-kubernetes-list-type": "set"}, ["a", "b"]),
        (KEYED, [{"name": "a"}, {"name": "b"}]),
        ({"type": "object", "additionalProperties": TEXT, "maxProperties": 2}, {"a": "b"}),
        (OPEN, {"a": [1, {"b": None}]}),
    ],
)
def test_what_is_plainly_right_stays_as_it_is(field: dict[str, Any], value: Any) -> None:
    schema, document = schema_of(field), {"kind": "Thing", "metadata": {"name": "a"}, "field": value}
    assert schema.is_plain(document)
    kept, unknown = schema.prune(document)
    assert kept is document
    assert unknown == []
    assert schema.default(document) is document


@pytest.mark.parametrize(
    ("field", "value"),
    [
        (TEXT, 1),
        (TEXT, None),
        ({**TEXT, "maxLength": 2}, "abc"),
        ({**TEXT, "minLength": 2}, "a"),
        ({**TEXT, "pattern": "^a$"}, "b"),
        ({**TEXT, "enum": ["a"]}, "b"),
        ({**TEXT, "format": "ipv4"}, "a"),
        ({"type": "integer"}, 1.5),
        ({"type": "integer"}, True),
        ({"type": "integer", "format": "int32"}, 2**31),
        ({"type": "integer"}, 2**63),
        ({"type": "integer", "minimum": 2}, 1),
        ({"type": "number", "maximum": 2}, 2.5),
        ({"type": "number", "multipleOf": 2}, 3),
        ({"type": "boolean"}, 0),
        ({"x-kubernetes-int-or-string": True}, 1.5),
        ({"type": "array", "items": TEXT, "minItems": 1}, []),
        ({"type": "array", "items": TEXT, "maxItems": 1}, ["a", "b"]),
        ({"type": "array", "items": TEXT, "x-kubernetes-list-type": "set"}, ["a", "a"]),
        (KEYED, [{"name": "a"}, {"name": "a"}]),
        (KEYED, [{}]),
        ({"type": "object", "properties": {"a": TEXT}, "required": ["a"]}, {}),
        ({"type": "object", "properties": {"a": TEXT}, "maxProperties": 0}, {"a": "b"}),
        ({"type": "object", "additionalProperties": TEXT}, {"a": 1}),
        ({"type": "object", "properties": {"a": TEXT}, "not": {"required": ["a"]}}, {"a": "b"}),
    ],
)
def test_what_breaks_a_keyword_is_looked_at_closely(field: dict[str, Any], value: Any) -> None:
    schema, document = schema_of(field), {"field": value}
    assert not schema.is_plain(document)
    assert schema.validate(document)


@pytest.mark.parametrize(
    ("field", "value", "kept"),
    [
        ({"type": "object", "properties": {"a": TEXT}}, {"a": "b", "c": 1}, {"a": "b"}),
        ({"type": "object", "properties": {"a": TEXT}}, {"a": None}, {}),
        ({"type": "object", "additionalProperties": True}, {"a": {"b": 1}}, {"a": {}}),
    ],
)
def test_what_does_not_stay_is_not_plain(field: dict[str, Any], value: Any, kept: Any) -> None:
    schema = schema_of(field)
    assert not schema.is_plain({"field": value})
    assert schema.prune({"field": value})[0] == {"field": kept}


@pytest.mark.parametrize("field", [{"type": "number"}, OPEN])
def test_a_whole_number_with_a_point_is_not_plain(field: dict[str, Any]) -> None:
    written = b'{"field": 2.0}' if field is not OPEN else b'{"field": {"a": [2.0]}}'
    assert not schema_of(field).is_plain(parse_json(written))


def test_a_missing_default_is_filled_in() -> None:
    nested = {"type": "object", "properties": {"a": {**TEXT, "default": "b"}}}
    schema = schema_of({"type": "array", "items": nested})
    assert schema.default({"field": [{"a": "x"}, {}]}) == {"field": [{"a": "x"}, {"a": "b"}]}
    complete = {"field": [{"a": "x"}]}
    assert schema.default(complete) is complete


@pytest.mark.parametrize(
    "after",
    [
        {"field": ["b"]},
        {"field": [1]},
        {"field": ["a"], "unknown": 1},
        {"field": ["a"], "metadata": {"name": 1}},
        {},
    ],
)
def test_an_object_that_follows_a_plain_one_is_judged_by_itself(after: dict[str, Any]) -> None:
    document = {
        "type": "object",
        "required": ["field"],
        "properties": {
            "metadata": {"type": "object", "properties": {"name": TEXT}},
            "field": {"type": "array", "items": TEXT},
        },
    }
    used, fresh = StructuralSchema(document, "Thing"), StructuralSchema(document, "Thing")
    before = {"field": ["a"], "metadata": {"name": "a"}}
    assert used.is_plain(before)
    assert used.is_plain({**before, "metadata": {"name": "b"}})
    followed = {"field": before["field"], **after} if after.get("field") == ["a"] else after
    assert used.is_plain(followed) is fresh.is_plain(followed)
