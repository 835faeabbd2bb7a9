"""Options of authentication."""

from dataclasses import dataclass, field, replace
from pathlib import Path
from secrets import token_urlsafe
from typing import Final, NamedTuple

from memkube.auth.authentication.request_headers import RequestHeaderOptions
from memkube.auth.authentication.token_file import read_token_file
from memkube.auth.authentication.token_webhook_options import TokenWebhookOptions
from memkube.registry.declarations.authentication import with_group_of_authenticated
from memkube.registry.declarations.request_options import MASTERS, User

ADMINISTRATOR: Final = User("kubernetes-admin", groups=(MASTERS,))
"""The user of the option ``--token``."""


class OidcOptions(NamedTuple):
    """An OpenID Connect provider, and the claims that name the users of its tokens (``--oidc-*`` of kube-apiserver)."""

    issuer_url: str
    client_id: str
    """Audience that tokens must have."""
    ca_file: Path | None = None
    """PEM certificates that the provider's certificate is verified with; None for those of the system."""
    username_claim: str = "sub"
    username_prefix: str = ""
    """Prefix of user names; ``-`` for none. If it is "", it is the issuer's URL and ``#``, but none for ``email``."""
    groups_claim: str = ""
    groups_prefix: str = ""
    signing_algorithms: tuple[str, ...] = ("RS256",)
    required_claims: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class AuthenticationOptions:
    """Options of authentication. Without any of them, all clients are anonymous and no credentials are checked."""

    token: str = field(default="", repr=False)
    """Bearer token of an administrator in the group ``system:masters``; empty for none."""
    token_file: Path | None = None
    """CSV file of bearer tokens and their users, in the format of kube-apiserver's ``--token-auth-file``."""
    client_ca_file: Path | None = None
    """PEM file of the authorities whose certificates clients may have; None to accept no certificates."""
    request_headers: RequestHeaderOptions | None = None
    """Options of authenticating proxies; None to trust no proxy."""
    configuration_file: Path | None = None
    """YAML file with an AuthenticationConfiguration of OpenID Connect providers; None for none."""
    oidc: OidcOptions | None = None
    """The OpenID Connect provider of the options ``--oidc-*``; None for none."""
    bootstrap_tokens: bool = False
    """True if Secrets of type ``bootstrap.kubernetes.io/token`` can be used as tokens."""
    anonymous: bool | None = None
    """True if requests without credentials are accepted, as ``system:anonymous``.

    With None, they are accepted unless the mode of authorization is AlwaysAllow, which would let the anonymous user do
    everything.
    """
    token_webhook: TokenWebhookOptions | None = None
    """Options of the webhook that authenticates bearer tokens; None for none."""

    @property
    def has_other_tokens(self) -> bool:
        """True if tokens that this server has not issued are accepted."""
        return self.configuration_file is not None or self.oidc is not None or self.bootstrap_tokens

    @property
    def is_on(self) -> bool:
        """True if any option asks for authentication."""
        named = any(one is not None for one in (self.token_file, self.anonymous, self.token_webhook))
        named = named or self.has_other_tokens
        return bool(self.token) or named or bool(self.authority_files)

    @property
    def authority_files(self) -> tuple[Path, ...]:
        """The files with authorities of clients' certificates."""
        proxies = None if self.request_headers is None else self.request_headers.client_ca_file
        return tuple(file for file in (self.client_ca_file, proxies) if file is not None)

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
