"""What an audit policy decides for a request."""

from enum import IntEnum
from typing import Final, NamedTuple


class Level(IntEnum):
    """How much an event tells: each level tells more than the one before it."""

    NONE = 0
    METADATA = 1
    REQUEST = 2
    """The event has the request's object."""
    REQUEST_RESPONSE = 3
    """The event has the objects of the request and of the response."""


LEVELS: Final[dict[str, Level]] = {
    "None": Level.NONE,
    "Metadata": Level.METADATA,
    "Request": Level.REQUEST,
    "RequestResponse": Level.REQUEST_RESPONSE,
}


class AuditRule(NamedTuple):
    """What an audit policy decides for one request."""

    level: Level
    omitted_stages: frozenset[str] = frozenset()
    omits_managed_fields: bool = False

    @property
    def level_name(self) -> str:
        """The level as it stands in events, such as ``RequestResponse``."""
        return next(name for name, level in LEVELS.items() if level is self.level)


NOT_AUDITED: Final = AuditRule(Level.NONE)
"""The decision for a request that no rule matches."""
