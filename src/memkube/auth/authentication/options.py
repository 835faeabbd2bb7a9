"""Options of authentication: tokens, certificates, authenticating proxies, providers and webhooks."""

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
"""User of requests with the token of the option ``--token``."""


class OidcOptions(NamedTuple):
    """An OpenID Connect provider, and the claims that name the users of its tokens (``--oidc-*`` of kube-apiserver)."""

    issuer_url: str
    client_id: str
    """Audience that tokens must have."""
    ca_file: Path | None = None
    """File with CA certificates in PEM that verify the provider's certificate; None to use those of the system."""
    username_claim: str = "sub"
    username_prefix: str = ""
    """Prefix of user names; ``-`` for no prefix. If it is empty, the prefix is the issuer's URL and ``#``, or nothing
    if the name is the claim ``email``."""
    groups_claim: str = ""
    groups_prefix: str = ""
    signing_algorithms: tuple[str, ...] = ("RS256",)
    required_claims: tuple[tuple[str, str], ...] = ()


class AnonymousAccess(NamedTuple):
    """Whether, and for which paths, requests without credentials are accepted as requests of ``system:anonymous``."""

    is_enabled: bool
    paths: frozenset[str] = frozenset()
    """The URL paths for which requests without credentials are accepted; empty to accept them for all paths."""

    def accepts(self, path: str) -> bool:
        """True if a request for this path needs no credentials."""
        return self.is_enabled and (not self.paths or path in self.paths)


@dataclass(frozen=True, slots=True)
class AuthenticationOptions:
    """Options of authentication. Without any of them, all clients are anonymous and no credentials are checked."""

    token: str = field(default="", repr=False)
    """Bearer token of an administrator in the group ``system:masters``; empty to have no such token."""
    token_file: Path | None = None
    """CSV file of bearer tokens and their users, in the format of kube-apiserver's ``--token-auth-file``."""
    client_ca_file: Path | None = None
    """PEM file with the certificate authorities that verify clients' certificates; None to accept no certificates."""
    request_headers: RequestHeaderOptions | None = None
    """Options of authenticating proxies; None to trust no proxy."""
    configuration_file: Path | None = None
    """YAML file with an AuthenticationConfiguration, which lists OpenID Connect providers; None to use no file."""
    oidc: OidcOptions | None = None
    """OpenID Connect provider of the options ``--oidc-*``; None if these are not set."""
    bootstrap_tokens: bool = False
    """True if Secrets of type ``bootstrap.kubernetes.io/token`` can be used as tokens."""
    anonymous: bool | None = None
    """True if requests without credentials are accepted, as ``system:anonymous``.

    With None, they are accepted unless the mode of authorization is AlwaysAllow, which would let the anonymous user do
    everything.
    """
    token_webhook: TokenWebhookOptions | None = None
    """Options of the webhook that authenticates bearer tokens; None to call no webhook."""

    @property
    def has_other_tokens(self) -> bool:
        """True if the server accepts bearer tokens that it has not issued itself."""
        return self.configuration_file is not None or self.oidc is not None or self.bootstrap_tokens

    @property
    def is_on(self) -> bool:
        """True if any option asks for authentication."""
        named = any(one is not None for one in (self.token_file, self.anonymous, self.token_webhook))
        named = named or self.has_other_tokens
        return bool(self.token) or named or bool(self.authority_files)

    @property
    def authority_files(self) -> tuple[Path, ...]:
        """Files with the certificate authorities that verify certificates of clients and of authenticating proxies."""
        proxies = None if self.request_headers is None else self.request_headers.client_ca_file
        return tuple(file for file in (self.client_ca_file, proxies) if file is not None)

    def static_tokens(self) -> dict[str, User]:
        """Return the user of each static bearer token.

        Raises ValueError with a one-line message if the token file cannot be read.
        """
        users = {} if self.token_file is None else read_token_file(self.token_file)
        if self.token:
            users[self.token] = ADMINISTRATOR
        return {token: with_group_of_authenticated(user) for token, user in users.items()}


def checked_credentials(chosen: AuthenticationOptions, *, required: bool = False) -> AuthenticationOptions:
    """Return the options `chosen`; if they have no administrator token, add a generated one.

    No token is added if authentication is off. It is off if none of the options asks for it and `required` is False.
    """
    return replace(chosen, token=token_urlsafe()) if (chosen.is_on or required) and not chosen.token else chosen
