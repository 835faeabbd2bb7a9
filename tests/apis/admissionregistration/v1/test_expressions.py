"""The variables that expressions of webhooks and policies may use."""

from typing import Final

import pytest

from memkube.apimachinery.field_errors import FieldPath
from memkube.apis.admissionregistration.v1.rules.expressions import (
    APPLY_CONFIGURATION,
    CONDITION,
    JSON_PATCH,
    MESSAGE,
    Expressions,
)

X: Final = FieldPath("x")


@pytest.mark.parametrize(
    "expression",
    [
        "object.spec.replicas <= 5",
        "request.kind.kind == 'Pod' && request.operation in ['CREATE', 'UPDATE']",
        "!('system:nodes' in request.userInfo.groups) || has(request.userInfo.extra)",
        "request.userInfo.extra['a'].exists(x, x == 'b')",
        "oldObject == null || oldObject.metadata.name == request.name",
        "namespaceObject.metadata.labels[?'a'].orValue('') == 'b'",
        "namespaceObject.status.conditions.all(c, c.status == 'True')",
        "authorizer.group('apps').resource('deployments').namespace('a').check('create').allowed()",
        "authorizer.requestResource.subresource('status').check('update').allowed()",
        "authorizer.serviceAccount('a', 'b').path('/healthz').check('get').errored()",
    ],
)
def test_conditions_know_the_request_and_who_makes_it(expression: str) -> None:
    assert Expressions().validate(expression, X, CONDITION) == []


@pytest.mark.parametrize(
    ("expression", "why"),
    [
        ("request.userInfo.name == 'a'", "1:17: undefined field 'name'"),
        ("request.object == null", "1:8: undefined field 'object'"),
        ("namespaceObject.metadata.managedFields == null", "1:25: undefined field 'managedFields'"),
        ("params.a == 1", "1:1: undeclared reference to 'params' (in container '')"),
        ("variables.a == 1", "1:1: undeclared reference to 'variables' (in container '')"),
        ("object.a", "must evaluate to bool but got dyn"),
    ],
)
def test_what_they_do_not_know_is_refused(expression: str, why: str) -> None:
    (error,) = Expressions().validate(expression, X, CONDITION)
    assert why in error.detail


def test_parameters_are_known_where_there_is_a_kind_of_them() -> None:
    assert Expressions(params=True).validate("params.a == 1", X, CONDITION) == []


def test_messages_may_not_ask_the_authorizer() -> None:
    (error,) = Expressions().validate("authorizer.path('/').check('get').reason()", X, MESSAGE, authorizer=False)
    assert "undeclared reference to 'authorizer'" in error.detail


@pytest.mark.parametrize(
    ("expression", "result"),
    [
        ("[1].map(x, string(x))", "list(string)"),
        ("{'a': [1]}", "map(string, list(int))"),
        ("optional.of(1)", "dyn"),
        ("request.kind", "dyn"),
        ("nothing", "dyn"),
        ("timestamp('2020-01-01T00:00:00Z')", "google.protobuf.Timestamp"),
    ],
)
def test_variables_keep_the_types_of_simple_values(expression: str, result: str) -> None:
    expressions = Expressions(variables={})
    expressions.add_variable("a", expression, X)
    assert expressions.variables is not None
    assert str(expressions.variables["a"]) == result


def test_a_variable_is_known_to_those_behind_it() -> None:
    expressions = Expressions(variables={})
    (error,) = expressions.add_variable("a", "variables.b + 1", X)
    assert "undefined field 'b'" in error.detail
    assert expressions.add_variable("b", "1", X) == []
    assert expressions.add_variable("c", "variables.b + 1", X) == []


@pytest.mark.parametrize(
    "expression",
    [
        "Object{metadata: Object.metadata{labels: {'a': 'b'}}, spec: Object.spec{replicas: 1}}",
        "Object{spec: Object.spec{?replicas: object.?spec.?replicas}}",
    ],
)
def test_mutations_make_objects_with_any_fields(expression: str) -> None:
    assert Expressions(variables={}).validate(expression, X, APPLY_CONFIGURATION, patches=True) == []


def test_mutations_make_patches() -> None:
    escaped = "[JSONPatch{op: 'add', path: '/metadata/labels/' + jsonpatch.escapeKey('a/b'), value: 1}]"
    assert Expressions(variables={}).validate(escaped, X, JSON_PATCH, patches=True) == []


@pytest.mark.parametrize(
    ("operation", "why"),
    [
        ("JSONPatch{op: 1}", "expected type of field 'op' is 'string' but provided type is 'int'"),
        ("JSONPatch{where: '/x'}", "expected type of field 'where' is '' but provided type is 'string'"),
    ],
)
def test_patches_have_certain_fields(operation: str, why: str) -> None:
    (error,) = Expressions(variables={}).validate(f"[{operation}]", X, JSON_PATCH, patches=True)
    assert why in error.detail


def test_only_mutations_make_objects() -> None:
    (error,) = Expressions().validate("Object{} == null", X, CONDITION)
    assert "undeclared reference to 'Object'" in error.detail


def test_a_literal_that_cannot_be_converted_is_an_internal_error() -> None:
    errors = Expressions(variables={}).validate("uint('a') == 1u", X, CONDITION)
    errors += Expressions(variables={}).add_variable("v", "uint('a')", X)
    why = "program instantiation failed: type conversion error from 'string' to 'uint'"
    assert [(error.type, error.detail) for error in errors] == [("InternalError", why)] * 2
