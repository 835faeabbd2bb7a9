from collections.abc import Sequence
from typing import Any

import pytest

from memkube.apimachinery.decoding import parse_json
from memkube.apimachinery.structural.correlation import Correlation
from memkube.cel.rules.nodes import rule_node
from memkube.cel.rules.validator import Outcome, validate_rules

NUMBER = {"type": "integer"}
NUMBERS = {"type": "array", "items": NUMBER, "maxItems": 100}
NOTHING_MORE = "no further validation rules will be run"


def ruled(schema: dict[str, Any], *rules: str | dict[str, Any]) -> dict[str, Any]:
    written = [{"rule": rule} if isinstance(rule, str) else rule for rule in rules]
    return {**schema, "x-kubernetes-validations": written}


def thing(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


def asked(schema: dict[str, Any], value: Any, old: Any = None, budget: int = 10_000_000) -> Outcome:
    node = rule_node(schema, resource_root=False)
    assert node is not None
    correlation = None if old is None else Correlation(schema, old, value)
    return validate_rules(node, value, old, correlation=correlation, budget=budget)


def told(outcome: Outcome) -> Sequence[str]:
    return list(map(str, outcome.errors))


def test_a_schema_without_rules_has_nothing_to_be_asked() -> None:
    assert rule_node(thing(a=NUMBER), resource_root=True) is None


def test_errors_of_a_value_stand_before_those_of_its_parts() -> None:
    schema = ruled(thing(a=ruled(NUMBER, "self > 1"), b=ruled(NUMBER, "self > 2")), "has(self.c)")
    schema["properties"]["c"] = NUMBER
    assert told(asked(schema, {"b": 0, "a": 0})) == [
        "<nil>: Invalid value: failed rule: has(self.c)",
        "a: Invalid value: 0: failed rule: self > 1",
        "b: Invalid value: 0: failed rule: self > 2",
    ]


def test_null_is_no_value_that_rules_are_about() -> None:
    schema = thing(a=ruled({**NUMBER, "nullable": True}, "false"))
    assert told(asked(schema, {"a": None})) == []


@pytest.mark.parametrize(
    ("written", "rule"),
    [
        ("a-b", "self.a__dash__b > 1"),
        ("x.y", "self.x__dot__y > 1"),
        ("a/b", "self.a__slash__b > 1"),
        ("a__b", "self.a__underscores__b > 1"),
        ("namespace", "self.__namespace__ > 1"),
        ("namespace", "self.namespace > 1"),
    ],
)
def test_rules_write_names_of_fields_escaped(written: str, rule: str) -> None:
    schema = ruled(thing(**{written: NUMBER}), rule)
    assert told(asked(schema, {written: 1})) == [f"<nil>: Invalid value: failed rule: {rule}"]
    assert told(asked(schema, {written: 2})) == []


def test_rules_of_fields_that_cannot_be_named_are_asked_all_the_same() -> None:
    schema = ruled(thing(**{"9é": ruled(NUMBER, "self > 1")}), "true")
    assert told(asked(schema, {"9é": 1})) == ["9é: Invalid value: 1: failed rule: self > 1"]


def test_items_of_a_map_list_are_compared_with_those_of_their_keys() -> None:
    item = ruled({**thing(k={"type": "string"}, n=NUMBER), "required": ["k"]}, "self.n >= oldSelf.n")
    keyed = {"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"]}
    schema = {"type": "array", "items": item, **keyed}
    old = [{"k": "a", "n": 5}, {"k": "b", "n": 1}]
    new = [{"k": "c", "n": 0}, {"k": "b", "n": 0}, {"k": "a", "n": 5}]
    assert told(asked(schema, new, old)) == ["[1]: Invalid value: failed rule: self.n >= oldSelf.n"]


def test_an_optional_old_value_is_there_for_new_values_too() -> None:
    schema = ruled(NUMBER, {"rule": "self > oldSelf.orValue(7)", "optionalOldSelf": True})
    assert told(asked(schema, 7)) == ["<nil>: Invalid value: 7: failed rule: self > oldSelf.orValue(7)"]
    assert told(asked(schema, 7, 6)) == []


def test_what_did_not_change_is_warned_of() -> None:
    schema = thing(a=ruled(NUMBER, "self > 1"), b=ruled(NUMBER, "self > 1"))
    found = asked(schema, {"a": 0, "b": 0}, {"a": 0, "b": 1})
    assert told(found) == ["b: Invalid value: 0: failed rule: self > 1"]
    assert found.warnings == ["a: Invalid value: 0: failed rule: self > 1"]


def test_rules_about_changes_are_not_passed_over_where_nothing_changed() -> None:
    schema = ruled(NUMBER, "self > oldSelf")
    assert told(asked(schema, 1, 1)) == ["<nil>: Invalid value: 1: failed rule: self > oldSelf"]


@pytest.mark.parametrize(
    ("expression", "told_instead"),
    [
        ("' made '", "made"),
        ("''", "plain"),
        (r"'two\nlines'", "plain"),
        ("string(self.a[3])", "plain"),
        ("string(oldSelf.a[0])", "plain"),
        ("self.long", "plain"),
    ],
)
def test_a_message_that_cannot_be_made_leaves_the_written_one(expression: str, told_instead: str) -> None:
    rule = {"rule": "false", "message": " plain ", "messageExpression": expression}
    schema = ruled(thing(a=NUMBERS, long={"type": "string"}), rule)
    assert told(asked(schema, {"a": [1], "long": "x" * 5121})) == [f"<nil>: Invalid value: {told_instead}"]


def test_a_field_path_goes_behind_that_of_the_value() -> None:
    labels = {"type": "object", "additionalProperties": NUMBER}
    rule = {"rule": "false", "fieldPath": ".labels['a.b']", "reason": "FieldValueForbidden"}
    schema = thing(spec=ruled(thing(labels=labels), rule))
    assert told(asked(schema, {"spec": {}})) == ["spec.labels[a.b]: Forbidden: failed rule: false"]


def test_a_rule_that_costs_too_much_ends_the_asking() -> None:
    heavy = "self.all(a, self.all(b, self.all(c, a + b + c >= 0)))"
    found = asked(ruled(NUMBERS, heavy, "false"), list(range(100)))
    why = f"'operation cancelled: actual cost limit exceeded': {NOTHING_MORE} due to call cost exceeds limit"
    assert told(found) == [f'<nil>: Invalid value: "array": {why} for rule: {heavy}']
    assert (found.exhausted, found.remaining) == (True, -1)


def test_rules_that_cost_too_much_together_end_the_asking() -> None:
    schema = {"type": "array", "items": ruled(NUMBER, "self + self + self >= 0")}
    found = asked(schema, list(range(100)), budget=20)
    why = f"validation failed due to running out of cost budget, {NOTHING_MORE}"
    assert told(found)[-1].endswith(f'Invalid value: "integer": {why}')
    assert found.exhausted


def test_a_message_that_costs_too_much_ends_the_asking() -> None:
    heavy = "string(self.all(a, self.all(b, self.all(c, a + b + c >= 0))))"
    found = asked(ruled(NUMBERS, {"rule": "false", "messageExpression": heavy}, "false"), list(range(100)))
    why = f'{NOTHING_MORE} due to call cost exceeds limit for messageExpression: "{heavy}"'
    assert told(found) == [f'<nil>: Invalid value: "array": {why}']


@pytest.mark.parametrize(
    ("rule", "value", "error"),
    [
        ("self.startsWith('x')", 5, "'no such overload': call arguments did not match a supported operator, "),
        ("1 / self == 1", 0, "division by zero evaluating rule: 1 / self == 1"),
        ("[1][self] == 1", 3, "index out of bounds: 3 evaluating rule: [1][self] == 1"),
    ],
)
def test_errors_while_evaluating_are_told(rule: str, value: int, error: str) -> None:
    schema = ruled({"x-kubernetes-int-or-string": True}, rule)
    (found,) = told(asked(schema, value))
    assert found.startswith(f'<nil>: Invalid value: "": {error}')


def test_whole_objects_have_names_that_nobody_described() -> None:
    node = rule_node(ruled(thing(), "self.metadata.name == 'a' && self.kind == 'K'"), resource_root=True)
    assert node is not None
    document = {"apiVersion": "g/v1", "kind": "K", "metadata": {"name": "a"}}
    assert told(validate_rules(node, document)) == []


def test_numbers_are_those_that_bodies_hold() -> None:
    schema = ruled({"type": "number"}, "self < 1.5")
    assert told(asked(schema, parse_json(b"2.5"))) == ["<nil>: Invalid value: 2.5: failed rule: self < 1.5"]
