"""Converts saved state, which has Python objects in memory and JSON data in files."""

from base64 import b64decode
from datetime import UTC, datetime
from typing import Any, Final

METRIC_VALUES: Final = "metric-values"
"""Key of the values of custom and external metrics in snapshots and in state shared between servers."""
BEHAVIORS: Final = "behaviors"
"""Key of the rules for simulated containers in snapshots and in state shared between servers."""
NODES: Final = "nodes"
"""Key of the simulated nodes in snapshots."""
SIGNING_AUTHORITY: Final = "signing-authority"
"""Key of the certificate authority in snapshots and in state shared between servers."""
NODE_POOLS: Final = "node-pools"
"""Key of the pools of simulated nodes in snapshots."""
FAILED_NODES: Final = "failed-nodes"
"""Key of the failed nodes in state shared between servers."""
PARTITIONED_NODES: Final = "partitioned-nodes"
"""Key of the partitioned nodes in state shared between servers."""
ADDED_NODES: Final = "added-nodes"
"""Key of the nodes that were added after the start in state shared between servers."""
REMOVED_NODES: Final = "removed-nodes"
"""Key of the nodes of the start that were removed in state shared between servers."""


class CannotBeSaved(Exception):
    """Raised if a snapshot cannot include a running program, because its recorded input exceeds the size limit.

    The message names the container.
    """


def instant(value: Any) -> datetime:
    """Return a saved time. Raises ValueError or TypeError if the value is not a time."""
    return value if isinstance(value, datetime) else datetime.fromisoformat(value).astimezone(UTC)


def instant_or_none(value: Any) -> datetime | None:
    """Return a saved time or None. Raises ValueError or TypeError if the value is neither."""
    return None if value is None else instant(value)


def data(value: Any) -> bytes:
    """Return saved bytes. In files they are text, or ``{"base64": …}`` if they are not UTF-8.

    Raises ValueError or TypeError for any other value.
    """
    if isinstance(value, str):
        return value.encode()
    return b64decode(value["base64"]) if isinstance(value, dict) else bytes(value)
