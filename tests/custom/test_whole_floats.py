"""Whole numbers written as floats, such as ``1.0``. CEL rules read them as floats, and storage has integers."""

from typing import Any

import httpx
import pytest

from tests.custom.test_definitions import WIDGETS, definition, establish

_RULE = {"x-kubernetes-validations": [{"rule": "self == 1", "message": "not one"}]}
_LIST = {"x-kubernetes-validations": [{"rule": "self.all(x, x == 1)", "message": "not ones"}], "maxItems": 5}
_WRONG = 'spec.{}: Invalid value: "{}": invalid data, expected {} evaluating rule: {}'


def _schema(**properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


def _body(fields: str, **metadata: str) -> str:
    labels = "".join(f', "{name}": "{value}"' for name, value in metadata.items())
    head = '"apiVersion": "things.example/v1", "kind": "Widget"'
    return f'{{{head}, "metadata": {{"name": "a"{labels}}}, "spec": {fields}}}'


@pytest.mark.parametrize(
    ("field", "schema", "shown", "wanted", "message"),
    [
        ("i", {"type": "integer", **_RULE}, "integer", "int, got float64", "not one"),
        ("l", {"type": "array", "items": {"type": "integer"}, **_LIST}, "array", "int, got float64", "not ones"),
        (
            "x",
            {"x-kubernetes-int-or-string": True, **_RULE},
            "",
            "XIntOrString value to be either a string or integer",
            "not one",
        ),
    ],
)
def test_a_rule_about_an_integer_refuses_a_float(
    client: httpx.Client, field: str, schema: dict[str, Any], shown: str, wanted: str, message: str
) -> None:
    establish(client, definition(**_schema(**{field: schema})))
    value = "[1.0]" if field == "l" else "1.0"
    answer = client.post(
        WIDGETS, content=_body(f'{{"{field}": {value}}}'), headers={"Content-Type": "application/json"}
    )
    assert answer.status_code == 422
    assert answer.json()["message"].endswith(_WRONG.format(field, shown, wanted, message))
    fits = client.post(WIDGETS, content=_body(f'{{"{field}": {value.replace(".0", "")}}}'))
    assert fits.status_code == 201


def test_a_rule_about_a_number_takes_both(client: httpx.Client) -> None:
    rule = {"x-kubernetes-validations": [{"rule": "self == 1.0", "message": "not one"}]}
    establish(client, definition(**_schema(n={"type": "number", **rule})))
    assert client.post(WIDGETS, content=_body('{"n": 1.0}')).json()["spec"] == {"n": 1}


def test_a_float_is_stored_as_an_integer_and_raises_the_generation(client: httpx.Client) -> None:
    establish(client, definition(**_schema(i={"type": "integer"})))
    created = client.post(WIDGETS, content=_body('{"i": 1.0}'))
    assert b'"spec":{"i":1}' in created.content
    version = created.json()["metadata"]["resourceVersion"]
    for number, generation in (("1", 1), ("1.0", 2)):
        answer = client.put(f"{WIDGETS}/a", content=_body(f'{{"i": {number}}}', resourceVersion=version))
        assert answer.json()["metadata"]["generation"] == generation
        version = answer.json()["metadata"]["resourceVersion"]


def test_a_float_beyond_int64_stays_a_float_and_is_no_change(client: httpx.Client) -> None:
    establish(client, definition(**_schema(n={"type": "number"})))
    client.post(WIDGETS, content=_body('{"n": 1e19}')).raise_for_status()
    patch = '[{"op": "add", "path": "/spec/n", "value": 1e19}]'
    headers = {"Content-Type": "application/json-patch+json"}
    patched = client.patch(f"{WIDGETS}/a", content=patch, headers=headers).raise_for_status().json()
    assert patched["metadata"]["generation"] == 1
