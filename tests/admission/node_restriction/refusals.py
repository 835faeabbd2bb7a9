"""What the tests of this folder have in common."""

from typing import Any, Final

import httpx

MERGE_PATCH: Final = {"Content-Type": "application/merge-patch+json"}
SPEC: Final[dict[str, Any]] = {"containers": [{"name": "app", "image": "x"}]}


def why_refused(answer: httpx.Response) -> str:
    """The reason behind a 403."""
    assert answer.status_code == 403
    return str(answer.json()["message"].partition(" is forbidden: ")[2])
