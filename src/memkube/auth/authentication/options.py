"""Options of authentication."""

from dataclasses import dataclass, field, replace
from pathlib import Path
from secrets import token_urlsafe
from typing import TYPE_CHECKING, Final

from memkube.auth.authentication.token_file import read_token_file
from memkube.registry.declarations.authentication import with_group_of_authenticated
from memkube.registry.declarations.request_options import MASTERS, User

if TYPE_CHECKING:
    from cryptography.x509 import Certificate

ADMINISTRATOR: Final = User("kubernetes-admin", groups=(MASTERS,))
"""The user of the option ``--token``."""


@dataclass(frozen=True, slots=True)
class AuthenticationOptions:
    """Options of authentication. Without any of them, all clients are anonymous and no credentials are checked."""

    token: str = field(default="", repr=False)
    """Bearer token of an administrator in the group ``system:masters``; empty for none."""
    token_file: Path | None = None
    """CSV file of bearer tokens and their users, in the format of kube-apiserver's ``--token-auth-file``."""
    client_ca_file: Path | None = None
    """PEM file of the authorities whose certificates clients may have; None to ask clients for no certificate."""
    anonymous: bool | None = None
    """True if requests without credentials are accepted, as ``system:anonymous``.

    With None, they are accepted unless the mode of authorization is AlwaysAllow, which would let the anonymous user do
    everything.
    """

    @property
    def is_on(self) -> bool:
        """True if any option asks for authentication."""
        files = self.token_file, self.client_ca_file
        return bool(self.token) or self.anonymous is not None or any(file is not None for file in files)

    def client_authorities(self) -> "tuple[Certificate, ...]":
        """Return the authorities of clients' certificates. Raises ValueError, with one line, for an invalid file."""
        if self.client_ca_file is None:
            return ()
        # pyOpenSSL is imported if clients may have certificates.
        from memkube.auth.authentication.certificate_authorities import read_authorities  # noqa: PLC0415

        return read_authorities(self.client_ca_file)

    def static_tokens(self) -> dict[str, User]:
        """Return the users by their tokens. Raises ValueError, with one line, for a file that cannot be read."""
        users = {} if self.token_file is None else read_token_file(self.token_file)
        if self.token:
            users[self.token] = ADMINISTRATOR
        return {token: with_group_of_authenticated(user) for token, user in users.items()}


def checked_credentials(chosen: AuthenticationOptions, *, required: bool = False) -> AuthenticationOptions:
    """Return the options, with a new token for the administrator if credentials are checked and it has none.

    `required` checks them even if no option asks for it.
    """
    return replace(chosen, token=token_urlsafe()) if (chosen.is_on or required) and not chosen.token else chosen
