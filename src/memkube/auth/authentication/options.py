"""Options of authentication."""

from dataclasses import dataclass, field, replace
from pathlib import Path
from secrets import token_urlsafe
from typing import Final

from memkube.auth.authentication.token_file import read_token_file
from memkube.registry.declarations.authentication import with_group_of_authenticated
from memkube.registry.declarations.request_options import MASTERS, User

ADMINISTRATOR: Final = User("kubernetes-admin", groups=(MASTERS,))
"""The user of the option ``--token``."""


@dataclass(frozen=True, slots=True)
class AuthenticationOptions:
    """Options of authentication. Without any of them, all clients are anonymous and no credentials are checked."""

    token: str = field(default="", repr=False)
    """Bearer token of an administrator in the group ``system:masters``; empty for none."""
    token_file: Path | None = None
    """CSV file of bearer tokens and their users, in the format of kube-apiserver's ``--token-auth-file``."""
    anonymous: bool | None = None
    """Whether requests without credentials are accepted, as ``system:anonymous``.

    None: they are if an authorizer decides what the anonymous user may do (any mode but AlwaysAllow).
    """

    @property
    def is_on(self) -> bool:
        """True if any option asks for authentication."""
        return bool(self.token) or self.token_file is not None or self.anonymous is not None

    def static_tokens(self) -> dict[str, User]:
        """Return the users by their tokens. Raises ValueError, with one line, for a file that cannot be read."""
        users = {} if self.token_file is None else read_token_file(self.token_file)
        if self.token:
            users[self.token] = ADMINISTRATOR
        return {token: with_group_of_authenticated(user) for token, user in users.items()}


def checked_credentials(
    token: str, token_file: Path | None, anonymous: bool | None, *, required: bool = False
) -> AuthenticationOptions:
    """Return the options of authentication. If credentials are checked, the administrator always has a token.

    `required` checks them even if no option asks for it.
    """
    chosen = AuthenticationOptions(token, token_file, anonymous)
    return replace(chosen, token=token_urlsafe()) if (chosen.is_on or required) and not token else chosen
