"""Values of a saved state, as they are in memory or as a file of JSON has them."""

from base64 import b64decode
from datetime import UTC, datetime
from typing import Any, Final

BEHAVIORS: Final = "behaviors"
"""The rules for containers, in snapshots and in what servers share."""
NODES: Final = "nodes"
"""The simulated nodes, in snapshots."""
FAILED_NODES: Final = "failed-nodes"
"""The nodes whose kubelets have stopped, in what servers share."""


class CannotBeSaved(Exception):
    """A simulated program has done more in one go than is kept of it; the message names its container."""


def instant(value: Any) -> datetime:
    """An instant. Raises ValueError and TypeError."""
    return value if isinstance(value, datetime) else datetime.fromisoformat(value).astimezone(UTC)


def instant_or_none(value: Any) -> datetime | None:
    """An instant, where there is one. Raises ValueError and TypeError."""
    return None if value is None else instant(value)


def data(value: Any) -> bytes:
    """Bytes, which a file has as text, or as ``{"base64": …}`` where they are none. Raises ValueError and TypeError."""
    if isinstance(value, str):
        return value.encode()
    return b64decode(value["base64"]) if isinstance(value, dict) else bytes(value)
