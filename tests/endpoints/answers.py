"""Checks of responses to bad requests."""

from typing import Any

import httpx


def status_of(response: httpx.Response) -> dict[str, Any]:
    """Return the Status in a response, after checking that it agrees with the response's status code."""
    document: dict[str, Any] = response.json()
    assert document["kind"] == "Status", document
    assert document["apiVersion"] == "v1"
    assert document["code"] == response.status_code
    assert document["status"] == "Failure"
    return document


def assert_refused(response: httpx.Response) -> None:
    """Check that the response is a Status with a code from 400 to 499."""
    assert 400 <= response.status_code < 500, (response.status_code, response.text[:500])
    assert status_of(response)["message"]
