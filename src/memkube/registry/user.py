"""Who asks: the user of a request (apiserver ``authentication/user``: Info)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

ANONYMOUS: Final = "system:anonymous"
AUTHENTICATED: Final = "system:authenticated"
UNAUTHENTICATED: Final = "system:unauthenticated"
NODES: Final = "system:nodes"
SERVICE_ACCOUNTS: Final = "system:serviceaccounts"


@dataclass(frozen=True, slots=True)
class User:
    """A user; without arguments, the one whose name nobody has checked."""

    name: str = ANONYMOUS
    uid: str = ""
    groups: tuple[str, ...] = (UNAUTHENTICATED,)
    extra: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """What else is known of the user, by keys in lower case."""

    def __str__(self) -> str:
        """As logs show it."""
        return f"{self.name or '<empty>'}[{','.join(self.groups)}]" if self.groups else self.name or "<empty>"


NOBODY: Final = User()
"""Whoever comes, as long as nobody is authenticated."""
LOOPBACK: Final = User("system:apiserver", groups=("system:masters", AUTHENTICATED))
"""The server itself, and what runs inside it."""
