"""JSON documents as CEL values that are typed by a schema."""

from typing import Any, Final

import pytest

from memkube.cel.documents import shape_of
from memkube.cel.environment import Compiled, base_environment
from memkube.cel.errors import EvaluationError
from memkube.cel.program import Budget, Program
from memkube.cel.types import DYN
from memkube.cel.values import Duration, Timestamp, TypeValue, Value

TEXT: Final = {"type": "string"}
NUMBER: Final = {"type": "integer"}
ITEMS: Final = {
    "type": "array",
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["k"],
    "items": {"type": "object", "properties": {"k": TEXT, "v": NUMBER}},
}
SET: Final = {"type": "array", "x-kubernetes-list-type": "set", "items": TEXT}
SCHEMA: Final = {
    "type": "object",
    "properties": {
        "number": NUMBER,
        "double": {"type": "number"},
        "with-dash": NUMBER,
        "namespace": TEXT,
        "maybe": {**TEXT, "nullable": True},
        "when": {**TEXT, "format": "date-time"},
        "day": {**TEXT, "format": "date"},
        "long": {**TEXT, "format": "duration"},
        "data": {**TEXT, "format": "byte"},
        "either": {"x-kubernetes-int-or-string": True},
        "list": {"type": "array", "items": NUMBER},
        "set": SET,
        "other": SET,
        "items": ITEMS,
        "turned": ITEMS,
        "map": {"type": "object", "additionalProperties": {**NUMBER, "nullable": True}},
        "kept": {"type": "object", "x-kubernetes-preserve-unknown-fields": True, "properties": {"known": NUMBER}},
        "pod": {"type": "object", "x-kubernetes-embedded-resource": True},
        "wrong": NUMBER,
    },
}
DOCUMENT: Final[dict[str, Any]] = {
    "number": 3,
    "double": 2,
    "with-dash": 4,
    "namespace": "here",
    "maybe": None,
    "when": "2024-02-29T12:00:00+02:00",
    "day": "1970-01-02",
    "long": "2 days",
    "data": "aGVsbG8_",
    "either": "50%",
    "list": [1, 2],
    "set": ["a", "b"],
    "other": ["b", "a"],
    "items": [{"k": "x", "v": 1}, {"k": "y", "v": 2}],
    "turned": [{"k": "y", "v": 2}, {"k": "x", "v": 1}],
    "map": {"a-b": 1, "none": None},
    "kept": {"known": 1, "unknown": [1]},
    "pod": {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "labels": {}}, "spec": {}},
    "wrong": "text",
}
ENVIRONMENT: Final = base_environment().extended({"self": DYN})


def evaluated(expression: str, schema: dict[str, Any] = SCHEMA, document: dict[str, Any] = DOCUMENT) -> Value:
    """Evaluate an expression in which `self` is the document."""
    compiled = ENVIRONMENT.compile(expression)
    assert isinstance(compiled, Compiled), compiled.detail
    return Program(compiled).evaluate({"self": shape_of(schema).value(document)}, Budget(10**9))


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("self.number", 3),
        ("self.double", 2.0),
        ("self.with__dash__dash", 4),
        ("self.__namespace__", "here"),
        ("self.when", Timestamp(1709200800 * 10**9)),
        ("self.day", Timestamp(86400 * 10**9)),
        ("self.long", Duration(172800 * 10**9)),
        ("self.data", b"hello?"),
        ("self.either", "50%"),
        ("type(self)", TypeValue("map")),
        ("type(self.list)", TypeValue("list")),
        ("type(self.double)", TypeValue("double")),
        ("self.list.map(i, i + 1)", [2, 3]),
        ("self.items[1].v", 2),
        ("self.map['a-b']", 1),
        ("self.map.none", None),
        ("self.pod.metadata.name", "p"),
        ("size(self.kept)", 2),
        ("self.map.map(k, k)", ["a-b", "none"]),
        ("self.pod.map(k, k)", ["apiVersion", "kind", "metadata"]),
    ],
)
def test_schemas_decide_on_kinds_and_names(expression: str, value: Value) -> None:
    found = evaluated(expression)
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("expression", "present"),
    [
        ("has(self.number)", True),
        ("has(self.maybe)", False),
        ("has(self.map.none)", True),
        ("has(self.kept.known)", True),
        ("has(self.kept.unknown)", False),
        ("has(self.pod.spec)", False),
        ("has(self.pod.metadata.labels)", False),
        ("has(self.absent)", False),
    ],
)
def test_what_the_schema_does_not_know_is_not_there(expression: str, present: bool) -> None:
    assert evaluated(expression) is present


@pytest.mark.parametrize(
    ("expression", "holds"),
    [
        ("self.set == self.other", True),
        ("self.set == ['b', 'a']", True),
        ("['b', 'a'] == self.set", False),
        ("self.set != ['a', 'c']", True),
        ("self.items == self.turned", True),
        ("self.items == [{'k': dyn('y'), 'v': dyn(2)}, {'k': dyn('x'), 'v': dyn(1)}]", True),
        ("self.items == self.items.filter(i, i.v > 1)", False),
        ("self.list == [2, 1]", False),
        ("self.list == [1, 2]", True),
        ("self.kept == self.kept", True),
        ("'a' in self.set", True),
        ("self.items[0] in self.turned", True),
        ("'a-b' in self.map", True),
    ],
)
def test_list_types_decide_on_equality(expression: str, holds: bool) -> None:
    assert evaluated(expression) is holds


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("self.set + ['c', 'a']", ["a", "b", "c"]),
        ("self.list + self.list", [1, 2, 1, 2]),
        ("[0] + self.list", [0, 1, 2]),
        ("(self.items + [{'k': dyn('z'), 'v': dyn(3)}, {'k': dyn('x'), 'v': dyn(9)}]).map(i, i.v)", [9, 2, 3]),
    ],
)
def test_list_types_decide_on_sums(expression: str, value: Value) -> None:
    assert list(evaluated(expression)) == value  # type: ignore[call-overload]


@pytest.mark.parametrize(
    ("expression", "why"),
    [
        ("self.wrong", "invalid data, expected int, got string"),
        ("self.absent", "no such key: absent"),
        ("self.maybe", "no such key: maybe"),
        ("self.kept.unknown", "no such key: unknown"),
        ("self.list[5]", "index out of bounds: 5"),
        ("self.list[1.0]", "unsupported index: 1"),
        ("self.list == 1", "no such overload"),
        ("self.map == [1]", "no such overload"),
    ],
)
def test_what_does_not_fit_is_told(expression: str, why: str) -> None:
    with pytest.raises(EvaluationError) as caught:
        evaluated(expression)
    assert str(caught.value) == why


def test_what_cannot_be_compared_is_different() -> None:
    assert evaluated("self.list != 1") is True


def test_null_fits_nullable_schemas_only() -> None:
    assert shape_of({**TEXT, "nullable": True}).value(None) is None
    with pytest.raises(EvaluationError, match="got null for schema with nullable=false"):
        shape_of(TEXT).value(None)


def test_whole_objects_have_names() -> None:
    shape = shape_of({"type": "object", "properties": {"spec": NUMBER}}, resource_root=True)
    found = shape.value({"metadata": {"name": "n", "uid": "u"}, "kind": "K"})
    compiled = ENVIRONMENT.compile("self.metadata.name == 'n' && self.kind == 'K' && !has(self.metadata.uid)")
    assert isinstance(compiled, Compiled)
    assert Program(compiled).evaluate({"self": found}, Budget(100)) is True


def test_documents_are_not_changed_nor_copied() -> None:
    before = {**DOCUMENT, "set": list(DOCUMENT["set"]), "items": list(DOCUMENT["items"])}
    evaluated("(self.set + ['z']).size() + (self.items + self.turned).size()")
    assert before == DOCUMENT
