"""Validation rules that are meant to overload the server are refused as by Kubernetes.

Other requests are not delayed.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from memkube.server.server import Server
from tests.custom.test_definitions import DEFINITIONS, WIDGETS, definition, establish, widget

NUMBER = {"type": "integer"}
NUMBERS = {"type": "array", "maxItems": 100, "items": NUMBER}
TEXTS = {"type": "array", "items": {"type": "string"}}
CUBE = "self.all(a, self.all(b, self.exists(c, c == a + b) || true))"
TOO_MUCH = "estimated rule cost exceeds budget by factor of more than 100x"


def ruled(field: dict[str, Any], *rules: str | dict[str, Any]) -> dict[str, Any]:
    written = [{"rule": rule, "message": "no"} if isinstance(rule, str) else rule for rule in rules]
    return {"type": "object", "properties": {"f": {**field, "x-kubernetes-validations": written}}}


def nested(field: dict[str, Any], depth: int) -> dict[str, Any]:
    return field if not depth else nested({"type": "object", "properties": {"f": field}}, depth - 1)


def answered_meanwhile(server: Server, heavy: Callable[[httpx.Client], httpx.Response]) -> tuple[httpx.Response, int]:
    """Send an expensive request. Return its response and the number of another client's requests answered before."""
    with ThreadPoolExecutor(1) as pool, httpx.Client(base_url=server.url, trust_env=False, timeout=120) as one:
        answer = pool.submit(heavy, one)
        count = 0
        with httpx.Client(base_url=server.url, trust_env=False, timeout=120) as other:
            while not answer.done():
                other.get("/api/v1/namespaces/default").raise_for_status()
                count += 1
        return answer.result(), count


@pytest.mark.parametrize(
    ("spec", "fault"),
    [
        pytest.param(ruled(TEXTS, "self.all(a, self.all(b, self.all(c, a + b == c)))"), TOO_MUCH, id="cube"),
        pytest.param(ruled(TEXTS, "self.all(t, t.matches('(a+)+$'))"), TOO_MUCH, id="unbounded texts"),
        pytest.param(
            ruled({"type": "string", "maxLength": 9}, "self.matches('(a+)+$')"), "", id="pattern that backtracks"
        ),
        pytest.param(
            ruled({"type": "string", "maxLength": 9}, "self.matches('((a{100}){100}){100}')"),
            "invalid matches argument",
            id="large pattern",
        ),
        pytest.param(
            ruled({"type": "string", "maxLength": 9}, "self.matches('(?=a)')"), "invalid matches", id="lookahead"
        ),
        pytest.param(
            ruled({"type": "string", "enum": [f"value-{i}" for i in range(20_000)]}, "self.startsWith('v')"),
            "",
            id="large enum",
        ),
        pytest.param(nested(ruled(NUMBER, "self > 1"), 100), "", id="deep schema"),
        pytest.param(
            ruled(NUMBER, " && ".join(["self > 1"] * 20_000)), "code point size exceeds limit", id="long rule"
        ),
        pytest.param(ruled(NUMBER, " && ".join(["self > 1"] * 500)), "", id="many conditions"),
        pytest.param(ruled(NUMBER, *[f"self > {i}" for i in range(300)]), "", id="many rules"),
        pytest.param(
            ruled({**NUMBERS, "default": list(range(100))}, CUBE), "actual cost limit exceeded", id="costly default"
        ),
    ],
)
def test_definitions_are_refused_or_taken(client: httpx.Client, spec: dict[str, Any], fault: str) -> None:
    answer = client.post(DEFINITIONS, params={"dryRun": "All"}, json=definition(**spec), timeout=120)
    assert answer.status_code == (422 if fault else 201), answer.text
    assert fault in answer.text


def test_others_are_served_while_rules_are_compiled(server: Server, client: httpx.Client) -> None:
    client.post(DEFINITIONS, params={"dryRun": "All"}, json=definition(**ruled(NUMBER, "self > 1"))).raise_for_status()
    body = definition(**ruled(NUMBER, *[f"self > {i} && self < {i} + 1000" for i in range(500)]))
    answer, count = answered_meanwhile(server, lambda one: one.post(DEFINITIONS, params={"dryRun": "All"}, json=body))
    assert answer.status_code == 201
    assert count > 5


@pytest.mark.parametrize(
    ("rules", "fault"),
    [
        ([CUBE], "actual cost limit exceeded"),
        ([{"rule": "false", "messageExpression": f"string({CUBE})"}], "exceeds limit for messageExpression"),
    ],
)
def test_others_are_served_while_rules_cost_too_much(
    server: Server, client: httpx.Client, rules: list[Any], fault: str
) -> None:
    establish(client, definition(**ruled(NUMBERS, *rules)))
    body = widget(f=list(range(100)))
    answer, count = answered_meanwhile(server, lambda one: one.post(WIDGETS, json=body))
    assert answer.status_code == 422
    assert fault in answer.text
    assert count > 5


def test_patterns_that_backtrack_take_no_longer_than_others(client: httpx.Client) -> None:
    text = {"type": "string", "maxLength": 10_000, "pattern": "^(a|aa)+$"}
    establish(client, definition(**ruled(text, "self.matches('^(a+)+$')")))
    refused = client.post(WIDGETS, json=widget(f="a" * 9_999 + "b"))
    assert refused.status_code == 422
    assert "should match '^(a|aa)+$'" in refused.text
    client.post(WIDGETS, json=widget(f="a" * 9_999)).raise_for_status()


def test_rules_that_cost_too_much_together_end(client: httpx.Client) -> None:
    rules = [f"self.matches('^a*b{{0,{i}}}c?d?e?f?g?h?i?j?k?l?m?n?o?p?$')" for i in range(150)]
    establish(client, definition(**ruled({"type": "string", "maxLength": 100_000}, *rules)))
    refused = client.post(WIDGETS, json=widget(f="a" * 100_000))
    assert refused.status_code == 422
    (cause,) = refused.json()["details"]["causes"]
    why = "validation failed due to running out of cost budget, no further validation rules will be run"
    assert cause["message"] == f'Invalid value: "string": {why}'
