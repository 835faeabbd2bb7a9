"""The decision of an audit policy about a request: whether and in how much detail to record it."""

from enum import IntEnum
from typing import Final, NamedTuple


class Level(IntEnum):
    """Amount of detail in audit events. Each level includes the details of the level before it."""

    NONE = 0
    METADATA = 1
    REQUEST = 2
    """Events include the object in the request's body."""
    REQUEST_RESPONSE = 3
    """Events include the objects in the bodies of the request and the response."""


LEVELS: Final[dict[str, Level]] = {
    "None": Level.NONE,
    "Metadata": Level.METADATA,
    "Request": Level.REQUEST,
    "RequestResponse": Level.REQUEST_RESPONSE,
}


class AuditRule(NamedTuple):
    """The level, the omitted stages, and whether managedFields are omitted, of the events of one request."""

    level: Level
    omitted_stages: frozenset[str] = frozenset()
    omits_managed_fields: bool = False

    @property
    def level_name(self) -> str:
        """The level as events name it, such as ``RequestResponse``."""
        return next(name for name, level in LEVELS.items() if level is self.level)


NOT_AUDITED: Final = AuditRule(Level.NONE)
"""Decision about a request that no rule of the policy matches: it is not recorded."""
