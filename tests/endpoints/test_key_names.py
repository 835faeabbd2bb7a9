from typing import Any

import httpx
import pytest


@pytest.mark.parametrize(
    ("binding", "code", "message"),
    [
        ({}, 500, "target.name: Required value"),
        ({"target": {"name": "n"}}, 400, "Name parameter required."),
        (
            {"metadata": {"name": "a/b"}, "target": {"name": "n"}},
            400,
            "Name parameter invalid: \"a/b\": may not contain '/'",
        ),
    ],
)
def test_a_binding_is_looked_at_before_the_name_of_its_pod(
    client: httpx.Client, namespace: str, binding: dict[str, Any], code: int, message: str
) -> None:
    answer = client.post(f"/api/v1/namespaces/{namespace}/bindings", json=binding)
    assert (answer.status_code, answer.json()["message"]) == (code, message)


def test_the_object_is_looked_at_before_the_name_in_the_address(client: httpx.Client, namespace: str) -> None:
    answer = client.put(f"/api/v1/namespaces/{namespace}/configmaps/%2E%2E", json={})
    assert answer.json()["message"].startswith("the name of the object (.. based on URL) was undeterminable")
