"""Keys in the saved state of controllers, and functions that decode times and bytes in it.

State that was read from a file has times and bytes in the form of JSON values. State that never left this process has
datetimes and bytes. The functions accept both.
"""

from base64 import b64decode
from datetime import UTC, datetime
from typing import Any, Final

METRIC_VALUES: Final = "metric-values"
"""Key of the values of custom and external metrics, in snapshots and in state shared between servers."""
BEHAVIORS: Final = "behaviors"
"""Key of the rules for the behaviour of simulated containers, in snapshots and in state shared between servers."""
NODES: Final = "nodes"
"""Key of the simulated nodes in snapshots."""
SERVICE_VARIABLES: Final = "service-variables"
"""Key of the environment variables of Services in containers, in snapshots."""
SIGNING_AUTHORITY: Final = "signing-authority"
"""Key of the certificate authority in snapshots and in state shared between servers."""
NODE_POOLS: Final = "node-pools"
"""Key of the pools of simulated nodes, in snapshots."""
FAILED_NODES: Final = "failed-nodes"
"""Key of the nodes whose failure users have simulated, in state shared between servers."""
PARTITIONED_NODES: Final = "partitioned-nodes"
"""Key of the nodes that users cut off from the network, in state shared between servers."""
ADDED_NODES: Final = "added-nodes"
"""Key of the nodes that were added after the server's start, in state shared between servers."""
REMOVED_NODES: Final = "removed-nodes"
"""Key of the initial nodes that were removed later, in state shared between servers."""


class CannotBeSaved(Exception):
    """Raised if a snapshot cannot include a program that runs in a container: its recorded input is too long.

    The message names the container.
    """


def instant(value: Any) -> datetime:
    """Decode a time in saved state, which is a datetime or an ISO 8601 text.

    Raises ValueError or TypeError if the value is neither.
    """
    return value if isinstance(value, datetime) else datetime.fromisoformat(value).astimezone(UTC)


def instant_or_none(value: Any) -> datetime | None:
    """Decode a time in saved state, or return None for None. Raises ValueError or TypeError for other values."""
    return None if value is None else instant(value)


def data(value: Any) -> bytes:
    """Decode bytes in saved state: bytes, a text, or ``{"base64": …}`` for bytes that are not UTF-8.

    Raises ValueError, TypeError or KeyError for other values.
    """
    if isinstance(value, str):
        return value.encode()
    if isinstance(value, dict):
        return b64decode(value["base64"])
    if not isinstance(value, bytes):
        raise TypeError(f"{type(value).__name__} in place of bytes")
    return value
