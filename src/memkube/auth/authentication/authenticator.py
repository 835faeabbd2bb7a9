"""Finds the user of a request from its headers and its connection (apiserver ``authentication/request``)."""

import logging
from base64 import urlsafe_b64decode
from binascii import Error as Base64Error
from collections.abc import Awaitable, Callable, Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple

from memkube.apimachinery.errors import ApiError
from memkube.auth.authentication.options import AnonymousAccess
from memkube.auth.authentication.request_headers import UserHeaders
from memkube.registry.declarations.authentication import (
    Authenticated,
    RejectedCertificateError,
    RejectedTokenError,
)
from memkube.registry.declarations.request_options import NOBODY, User

if TYPE_CHECKING:
    from memkube.auth.authentication.certified_users import CertifiedUsers

_LOGGER: Final = logging.getLogger("memkube")
_AUTHORIZATION: Final = b"authorization"
_PROTOCOLS: Final = b"sec-websocket-protocol"
_TOKEN_PROTOCOL: Final = b"base64url.bearer.authorization.k8s.io."
_EXTRA_SPACE: Final = "the provided Authorization header contains extra space before the bearer token, and is ignored"

Headers = Iterable[tuple[bytes, bytes]]


class Identity(NamedTuple):
    """The user of a request, and the request's headers without the credentials that identified the user."""

    user: User
    headers: list[tuple[bytes, bytes]]
    warnings: tuple[str, ...] = ()
    """Texts of the Warning headers of the response."""
    annotations: Mapping[str, str] = MappingProxyType({})
    """Annotations of the request's audit event, about its token."""
    is_rejected: bool = False
    """True if the request has invalid credentials, but is accepted because authentication is not required."""


class Authenticator:
    """Authenticates requests by clients' certificates, and by bearer tokens.

    A token is in the header Authorization or in a protocol of a WebSocket. As in kube-apiserver, the token is only read
    if no valid certificate identifies the user. The header Authorization, and headers in which an authenticating proxy
    names a user, are removed from accepted requests.
    """

    def __init__(
        self,
        authenticate: Callable[[str], Awaitable[Authenticated]],
        static: Mapping[str, User],
        user_headers: UserHeaders,
        certified: "CertifiedUsers | None" = None,
        *,
        anonymous: AnonymousAccess,
        required: bool = True,
    ) -> None:
        """Create the authenticator.

        - `authenticate` gets a token and returns its user. It raises RejectedTokenError if the token is invalid.
        - `static` has the user of each token that stays valid as long as the server runs.
        - `user_headers` knows the headers in which authenticating proxies name users, and removes them from requests.
        - `certified` finds the users of certificates. If it is None, certificates are ignored.
        - `anonymous` says for which paths credentials may be missing.
        - If `required` is False, authentication is off: a request with invalid credentials counts as one of the
          anonymous user.
        """
        self.is_required = required
        """True if credentials that are not valid are refused."""
        self._authenticate = authenticate
        usual = {token: user for token, user in static.items() if token.isascii() and " " not in token}
        self._static = {f"Bearer {token}".encode(): user for token, user in usual.items()}
        self._user_headers = user_headers
        self._certified = certified
        self._anonymous = anonymous

    def identify_static(self, headers: Headers) -> Identity | None:
        """Return the user of a request whose header Authorization has a static bearer token; None for others."""
        value = next((value for name, value in headers if name == _AUTHORIZATION), b"")
        user = self._static.get(value)
        return None if user is None else Identity(user, self._user_headers.removed_from(headers))

    async def identify(
        self, headers: Headers, chain: tuple[bytes, ...] = (), *, path: str, is_websocket: bool
    ) -> Identity:
        """Return the user of a request for a path with these headers, whose names are in lower case.

        `chain` has the certificates that the client has sent on this connection, in DER, beginning with its own.
        `is_websocket` is true for a WebSocket handshake, which may have the token in a protocol.

        If authentication is required, raises ApiError 401 for invalid credentials. It also raises ApiError 401 if there
        are no credentials and the anonymous user is not accepted for the path. If authentication is not required, such
        a request gets the anonymous user.
        """
        sent = list(headers)
        if self.is_required:
            return await self._identified(sent, chain, path, is_websocket=is_websocket)
        try:
            found = await self._identified(sent, chain, path, is_websocket=is_websocket)
        except ApiError:
            found = Identity(NOBODY, sent)
        is_rejected = found.user is NOBODY and any(name == _AUTHORIZATION for name, _ in sent)
        return found._replace(is_rejected=is_rejected)

    async def _identified(
        self, sent: list[tuple[bytes, bytes]], chain: tuple[bytes, ...], path: str, *, is_websocket: bool
    ) -> Identity:
        is_rejected = False
        if chain and self._certified is not None:
            try:
                user = self._certified.user_of(chain, sent)
            except RejectedCertificateError as error:
                _LOGGER.warning("a client's certificate is not valid: %s", error)
                is_rejected = True
            else:
                if user is not None:
                    return Identity(user, self._user_headers.removed_from(sent))
        token, warnings = _bearer_token(sent)
        if token:
            return await self._with_token(token, self._user_headers.removed_from(sent))
        if is_websocket:
            token, protocols = _protocol_token(sent)
            if token:
                rest = [header for header in self._user_headers.removed_from(sent) if header[0] != _PROTOCOLS]
                return await self._with_token(token, [*rest, (_PROTOCOLS, b",".join(protocols))])
        if is_rejected or not self._anonymous.accepts(path):
            raise unauthorized()
        return Identity(NOBODY, self._user_headers.removed_from(sent), warnings)

    async def _with_token(self, token: str, headers: list[tuple[bytes, bytes]]) -> Identity:
        try:
            found = await self._authenticate(token)
        except RejectedTokenError:
            # The client does not get the reason, which could help to guess a token.
            raise unauthorized() from None
        return Identity(found.user, headers, found.warnings, found.annotations)


def unauthorized() -> ApiError:
    """Return the ApiError 401 for a request without valid credentials."""
    return ApiError(401, "Unauthorized", "Unauthorized")


def _bearer_token(headers: Headers) -> tuple[str, tuple[str, ...]]:
    """Return the token of the first Authorization header, or "", and the warnings about that header."""
    value = next((value for name, value in headers if name == _AUTHORIZATION), b"")
    scheme, *parts = value.decode("latin-1").strip().split(" ", 2)
    if not parts or scheme.lower() != "bearer":
        return "", ()
    return parts[0], (_EXTRA_SPACE,) if not parts[0] else ()


def _protocol_token(headers: Headers) -> tuple[str, list[bytes]]:
    """Return the token among the protocols of a WebSocket, and the other protocols.

    The token is empty if no protocol has one. Raises ApiError 401 if the token is malformed, if there are two tokens,
    or if there is a token but no other protocol.
    """
    given = [value.strip() for name, values in headers if name == _PROTOCOLS for value in values.split(b",")]
    tokens = [value.removeprefix(_TOKEN_PROTOCOL) for value in given if value.startswith(_TOKEN_PROTOCOL)]
    others = [value for value in given if not value.startswith(_TOKEN_PROTOCOL)]
    if not tokens:
        return "", others
    if len(tokens) > 1 or b"=" in tokens[0]:
        raise unauthorized()
    try:
        token = urlsafe_b64decode(tokens[0] + b"=" * (-len(tokens[0]) % 4)).decode()
    except (Base64Error, UnicodeDecodeError):
        raise unauthorized() from None
    if token and not others:
        raise unauthorized()
    return token, others
