"""Finds the provider that issued an OpenID Connect token, and maps the token's claims to a user.

The configuration of the provider determines how claims are mapped.
"""

import asyncio
import logging
from base64 import urlsafe_b64decode
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, Final

import orjson

from memkube.auth.authentication.oidc.configuration import JWTAuthenticator
from memkube.auth.authentication.oidc.mapping import ClaimsMapper
from memkube.auth.authentication.oidc.provider import Provider, issuer_of
from memkube.registry.declarations.authentication import RejectedTokenError
from memkube.registry.declarations.request_options import User

_LOGGER: Final = logging.getLogger("memkube")
_PARTS: Final = 3


class OidcAuthenticator:
    """Finds the user of an OpenID Connect token by the configuration of the provider that has issued it."""

    def __init__(
        self, providers: Sequence[JWTAuthenticator], algorithms: Sequence[str], now: Callable[[], datetime]
    ) -> None:
        """Create the authenticator.

        `providers` has the configuration of each provider, `algorithms` the names of accepted signature algorithms, and
        `now` returns the time of the server's clock. Raises ValueError if CA certificates or a CEL expression of a
        provider are not valid.
        """
        self._providers = {one.issuer.url: (Provider(one.issuer, algorithms), ClaimsMapper(one)) for one in providers}
        self._now = now

    async def discover(self) -> None:
        """Check that all providers publish a valid configuration.

        Raises RejectedTokenError if the configuration of a provider cannot be fetched, or is not valid.
        """
        await asyncio.gather(*(provider.discover() for provider, _ in self._providers.values()))

    async def user_of(self, token: str) -> User | None:
        """Return the user of a token; None if no configured provider has issued it.

        Raises RejectedTokenError if the token is not valid, and logs the reason.
        """
        claims = _unverified_claims(token)
        provider, mapper = self._providers.get(issuer_of(claims), (None, None))
        if provider is None or mapper is None:
            return None
        try:
            return mapper.user_of(await provider.claims(token, self._now()))
        except RejectedTokenError as error:
            _LOGGER.warning("a token of %s is not valid: %s", provider.issuer.url, error)
            raise


def _unverified_claims(token: str) -> dict[str, Any]:
    """Return the claims of a token without verifying its signature; an empty dictionary if the text is not a token."""
    parts = token.split(".")
    if len(parts) != _PARTS or "=" in parts[1]:
        return {}
    try:
        claims = orjson.loads(urlsafe_b64decode(parts[1] + "=" * (-len(parts[1]) % 4)))
    except ValueError:
        return {}
    return claims if isinstance(claims, dict) else {}
