"""The decision of an audit policy about a request: whether to record it, and with which details."""

from enum import IntEnum
from typing import Final, NamedTuple


class Level(IntEnum):
    """Amount of detail in audit events. Each level includes the details of the level before it."""

    NONE = 0
    METADATA = 1
    REQUEST = 2
    """Events include the object that the client sent."""
    REQUEST_RESPONSE = 3
    """Events include the object that the client sent, and the object in the response."""


LEVELS: Final[dict[str, Level]] = {
    "None": Level.NONE,
    "Metadata": Level.METADATA,
    "Request": Level.REQUEST,
    "RequestResponse": Level.REQUEST_RESPONSE,
}


class AuditRule(NamedTuple):
    """Settings for the events of one request: their level, stages without an event, and omission of managedFields."""

    level: Level
    omitted_stages: frozenset[str] = frozenset()
    omits_managed_fields: bool = False

    @property
    def level_name(self) -> str:
        """Name of the level in the events, such as ``RequestResponse``."""
        return next(name for name, level in LEVELS.items() if level is self.level)


NOT_AUDITED: Final = AuditRule(Level.NONE)
"""The decision not to record a request, because no rule of the policy applies to it."""
