from typing import Any

import pytest

from memkube.apimachinery.decoding import parse_json
from memkube.apimachinery.field_errors import FieldPath
from memkube.apis.apiextensions.v1.customresourcedefinitions.schema_validation import validate_schema

TEXT = {"type": "string"}
NUMBER = {"type": "integer"}
ADVICE = (
    "(try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are "
    "declared)"
)


def ruled(schema: dict[str, Any], *rules: str | dict[str, Any]) -> dict[str, Any]:
    written = [{"rule": rule} if isinstance(rule, str) else rule for rule in rules]
    return {**schema, "x-kubernetes-validations": written}


def faults(field: dict[str, Any], *, any_cost: bool = False) -> list[str]:
    """Validate a schema with one field. Return the errors, with shortened field paths."""
    root = {"type": "object", "properties": {"f": field}}
    found = validate_schema(root, False, FieldPath("p"), any_cost=any_cost)
    return [str(error).replace("p.properties[f]", "f").replace("x-kubernetes-validations", "rules") for error in found]


@pytest.mark.parametrize(
    ("field", "rule"),
    [
        (TEXT, "self.startsWith('x')"),
        ({**TEXT, "format": "duration"}, "self > duration('1m')"),
        ({**TEXT, "format": "date"}, "self.getFullYear() > 2000"),
        ({**TEXT, "format": "byte"}, "self == b'x'"),
        ({"type": "number"}, "self < 1.5"),
        ({"x-kubernetes-int-or-string": True}, "self == 5 || self == 'x'"),
        ({"type": "object", "additionalProperties": NUMBER}, "self.all(k, k != '') && self.a > 1"),
        ({"type": "object", "properties": {"a-b": NUMBER}}, "self.a__dash__b > 1"),
        ({"type": "object", "x-kubernetes-preserve-unknown-fields": True}, "self == oldSelf"),
    ],
)
def test_rules_see_the_types_of_their_schema(field: dict[str, Any], rule: str) -> None:
    assert faults(ruled(field, rule)) == []


@pytest.mark.parametrize(
    ("field", "rule", "message"),
    [
        ({**TEXT, "format": "duration"}, "self == '1m'", "found no matching overload for '_==_'"),
        ({"type": "object", "properties": {"9x": NUMBER}}, "self.9x > 1", "Syntax error"),
        ({"type": "object", "properties": {"a-b": NUMBER}}, "has(self.b)", "undefined field 'b'"),
        ({"type": "object", "x-kubernetes-preserve-unknown-fields": True}, "has(self.a)", "undefined field 'a'"),
        (NUMBER, "cel.bind(x, self, x > 1)", "undeclared reference to 'cel'"),
        (NUMBER, "authorizer.path('/').check('get').allowed()", "undeclared reference to 'authorizer'"),
        (NUMBER, "dyn(self)", "cel expression must evaluate to a bool"),
    ],
)
def test_rules_that_do_not_compile_are_refused(field: dict[str, Any], rule: str, message: str) -> None:
    (fault,) = faults(ruled(field, rule))
    assert fault.startswith("f.rules[0].rule: Invalid value: {")
    assert message in fault


def test_values_that_rules_cannot_see_have_none() -> None:
    (fault,) = faults(ruled({"x-kubernetes-preserve-unknown-fields": True}, "true"))
    assert fault.startswith("f.rules: Internal error: internal error: failed to construct type information for rules")


@pytest.mark.parametrize(
    ("limits", "factor"),
    [
        ({}, "more than 100x"),
        ({"maxItems": 2000}, "2.4x"),
        ({"maxItems": 1500}, "1.350750x"),
    ],
)
def test_costs_are_those_of_as_many_values_as_there_can_be(limits: dict[str, int], factor: str) -> None:
    field = ruled({"type": "array", "items": NUMBER, **limits}, "self.all(a, self.exists(b, a == b))")
    (fault, *_) = faults(field)
    assert fault == f"f.rules[0].rule: Forbidden: estimated rule cost exceeds budget by factor of {factor} {ADVICE}"


def test_costs_of_unbounded_values_are_those_that_fit_into_a_request() -> None:
    inner = ruled({**TEXT, "maxLength": 1000}, "self.matches('^[a-z]+$')")
    assert faults({"type": "array", "items": inner, "maxItems": 10}) == []
    assert "by factor of 84.2x" in faults({"type": "array", "items": inner})[0]


def test_all_rules_together_have_a_limit() -> None:
    costly = "self.all(a, self.exists(b, a == b))"
    field = ruled({"type": "array", "items": NUMBER, "maxItems": 1200}, *[f"{costly} // {i}" for i in range(13)])
    found = faults(field)
    assert [fault.partition(":")[0] for fault in found] == [*(f"f.rules[{i}].rule" for i in range(4)), "p"]
    assert found[0].endswith(
        "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema"
    )
    assert "estimated rule cost total for entire OpenAPIv3 schema exceeds budget by factor of 1." in found[-1]


def test_rules_of_a_schema_that_did_not_change_may_cost_what_they_like() -> None:
    field = ruled({"type": "array", "items": NUMBER, "maxItems": 2000}, "self.all(a, self.exists(b, a == b))")
    assert faults(field)
    assert faults(field, any_cost=True) == []


@pytest.mark.parametrize(
    ("around", "wrong"),
    [
        ({"type": "array", "maxItems": 3}, True),
        ({"type": "array", "maxItems": 3, "x-kubernetes-list-type": "atomic"}, True),
        ({"type": "array", "maxItems": 3, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"]}, False),
    ],
)
def test_old_values_are_those_of_items_with_keys(around: dict[str, Any], wrong: bool) -> None:
    properties = {"k": {**TEXT, "maxLength": 9}, "v": ruled(NUMBER, "self == oldSelf")}
    found = faults({**around, "items": {"type": "object", "required": ["k"], "properties": properties}})
    why = "oldSelf cannot be used on the uncorrelatable portion of the schema within f"
    rule = 'f.items.properties[v].rules[0].rule: Invalid value: "self == oldSelf"'
    assert found == ([f"{rule}: {why}"] if wrong else [])


def test_an_optional_old_value_is_for_rules_that_ask_for_it() -> None:
    found = faults(ruled(NUMBER, {"rule": "self > 1", "optionalOldSelf": True}))
    assert found == ["f.rules[0].optionalOldSelf: Invalid value: true: may not be set if oldSelf is not used in rule"]


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("self", "messageExpression must evaluate to a string"),
        ("other", "messageExpression compilation failed: ERROR: <input>:1:1: undeclared reference to 'other'"),
    ],
)
def test_messages_are_expressions_of_their_own(expression: str, message: str) -> None:
    (fault,) = faults(ruled(NUMBER, {"rule": "self > 1", "messageExpression": expression}))
    assert fault.startswith("f.rules[0].messageExpression: Invalid value: {")
    assert message in fault


@pytest.mark.parametrize(
    ("default", "rules", "found"),
    [
        (2, ["self > 1"], []),
        (1, ["self > 1"], ["f.default: Invalid value: 1: failed rule: self > 1"]),
        (1, [{"rule": "oldSelf.hasValue()", "optionalOldSelf": True}], ["failed rule: oldSelf.hasValue()"]),
        (1, ["self > oldSelf"], ["f.default: Invalid value: 1: failed rule: self > oldSelf"]),
        (1, ["self.x"], ['f.default: Invalid value: "integer": rule compile error: compilation failed: ERROR']),
    ],
)
def test_defaults_keep_the_rules(default: int, rules: list[Any], found: list[str]) -> None:
    told = faults(ruled({**NUMBER, "default": default}, *rules))
    assert len(told) == len(found)
    assert all(part in fault for part, fault in zip(found, told, strict=True))


def test_wrong_schemas_keep_rules_around_them_from_being_compiled() -> None:
    wrong = {"type": "object", "properties": {"a": {**NUMBER, "uniqueItems": True}, "b": ruled(NUMBER, "self.x")}}
    found = faults(ruled(wrong, "self.nothing"))
    assert [fault.partition(":")[0] for fault in found] == [
        "f.properties[a].uniqueItems",
        "f.properties[b].rules[0].rule",
    ]


def test_a_path_escapes_what_it_names() -> None:
    field = {"type": "object", "properties": {"a'b": NUMBER}}
    escaped = {"rule": "true", "fieldPath": parse_json(rb'''"['a\\'b']"''')}
    assert faults(ruled(field, escaped)) == []
    (fault,) = faults(ruled(field, {"rule": "true", "fieldPath": r"['a\qb']"}))
    assert fault.endswith("must be a valid path")
