"""What any answer to a bad request has to look like."""

from typing import Any

import httpx


def status_of(response: httpx.Response) -> dict[str, Any]:
    """The Status in an answer, which has to be one and to agree with the code of the answer."""
    document: dict[str, Any] = response.json()
    assert document["kind"] == "Status", document
    assert document["apiVersion"] == "v1"
    assert document["code"] == response.status_code
    assert document["status"] == "Failure"
    return document


def assert_refused(response: httpx.Response) -> None:
    """The client is to blame, and is told so in a Status."""
    assert 400 <= response.status_code < 500, (response.status_code, response.text[:500])
    assert status_of(response)["message"]
