"""The error messages of requests that NodeRestriction refuses."""

from typing import Any, Final

import httpx

MERGE_PATCH: Final = {"Content-Type": "application/merge-patch+json"}
SPEC: Final[dict[str, Any]] = {"containers": [{"name": "app", "image": "x"}]}


def why_refused(answer: httpx.Response) -> str:
    """Return the reason in the message of a response with status 403."""
    assert answer.status_code == 403
    return str(answer.json()["message"].partition(" is forbidden: ")[2])
