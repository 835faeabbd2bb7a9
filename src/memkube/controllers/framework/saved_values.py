"""Reads values of saved state, which are Python objects in memory and JSON data in files."""

from base64 import b64decode
from datetime import UTC, datetime
from typing import Any, Final

BEHAVIORS: Final = "behaviors"
"""Name of the container rules in snapshots and in the shared state."""
NODES: Final = "nodes"
"""Name of the simulated nodes in snapshots."""
FAILED_NODES: Final = "failed-nodes"
"""Name of the failed nodes in the shared state."""


class CannotBeSaved(Exception):
    """A simulated program has run for more steps than are recorded. The message names its container."""


def instant(value: Any) -> datetime:
    """Return a saved time. Raises ValueError or TypeError for another value."""
    return value if isinstance(value, datetime) else datetime.fromisoformat(value).astimezone(UTC)


def instant_or_none(value: Any) -> datetime | None:
    """Return a saved time, or None. Raises ValueError or TypeError for another value."""
    return None if value is None else instant(value)


def data(value: Any) -> bytes:
    """Return saved bytes. Files contain them as text, or as ``{"base64": …}`` if they are not UTF-8.

    Raises ValueError or TypeError for another value.
    """
    if isinstance(value, str):
        return value.encode()
    return b64decode(value["base64"]) if isinstance(value, dict) else bytes(value)
