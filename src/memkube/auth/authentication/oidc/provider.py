"""The keys of an OpenID Connect provider, and the verification of its tokens."""

import asyncio
import ssl
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final
from urllib.parse import urlsplit

import httpcore
import jwt
import orjson

from memkube.auth.authentication.oidc.configuration import Issuer
from memkube.registry.declarations.authentication import RejectedTokenError

_WELL_KNOWN: Final = "/.well-known/openid-configuration"
_SECONDS: Final = 30.0
_EARLY: Final = timedelta(minutes=5)
"""Maximum time before its ``nbf`` (not before) at which a token is accepted, because clocks differ (as in go-oidc)."""
_MOST_BYTES: Final = 1024 * 1024


class Provider:
    """Verifies the tokens of one OpenID Connect provider with the keys that it publishes.

    The keys are fetched with the first token, and again if a token is signed with an unknown key.
    """

    def __init__(self, issuer: Issuer, algorithms: Sequence[str]) -> None:
        """Create the provider that `issuer` describes, without fetching its keys yet.

        `algorithms` are the names of accepted signature algorithms. Raises ValueError with a one-line message if the CA
        certificates of the issuer are not valid.
        """
        self.issuer = issuer
        self._algorithms = list(algorithms)
        try:
            self._context = ssl.create_default_context(cadata=issuer.certificateAuthority or None)
        except ssl.SSLError:
            raise ValueError(f"the certificateAuthority of the issuer {issuer.url} is not valid PEM") from None
        self._keys: dict[str, jwt.PyJWK] = {}
        self._fetching = asyncio.Lock()

    async def claims(self, token: str, now: datetime) -> Mapping[str, Any]:
        """Return the claims of a token. Raises RejectedTokenError if the token is not valid at the time `now`."""
        try:
            header = jwt.get_unverified_header(token)
        except jwt.PyJWTError as error:
            raise RejectedTokenError(f"oidc: verify token: {error}") from None
        if header.get("alg") not in self._algorithms:
            raise RejectedTokenError(f"oidc: verify token: signed with unsupported algorithm {header.get('alg')}")
        payload = self._verified(token) or await self._verified_with_new_keys(token)
        if payload is None:
            raise RejectedTokenError("oidc: verify token: failed to verify signature")
        try:
            found = orjson.loads(payload)
        except orjson.JSONDecodeError:
            raise RejectedTokenError("oidc: parse claims: not JSON") from None
        self._check(found, now)
        claims: Mapping[str, Any] = found
        return claims

    async def discover(self) -> None:
        """Fetch the provider's configuration. Raises RejectedTokenError if that fails, or if it is not valid."""
        async with httpcore.AsyncConnectionPool(ssl_context=self._context) as client:
            await self._address_of_keys(client)

    def _verified(self, token: str) -> bytes | None:
        """Return the payload of a token; None if none of the known keys verifies its signature."""
        identifier = jwt.get_unverified_header(token).get("kid", "")
        for key in [self._keys[identifier]] if identifier in self._keys else self._keys.values():
            try:
                # As in go-jose, the token names the algorithm, whatever algorithm the provider names for the key.
                payload: bytes = jwt.PyJWS().decode(token, key.key, algorithms=self._algorithms)
            except jwt.PyJWTError:
                continue
            return payload
        return None

    async def _verified_with_new_keys(self, token: str) -> bytes | None:
        before = self._keys
        async with self._fetching:
            # While this request waited for the lock, another request may have fetched the keys.
            if self._keys is before:
                self._keys = await self._published_keys()
        return self._verified(token)

    async def _published_keys(self) -> dict[str, jwt.PyJWK]:
        """Fetch the provider's keys, and return them by key ID. Raises RejectedTokenError if that fails."""
        async with httpcore.AsyncConnectionPool(ssl_context=self._context) as client:
            return await self._keys_from(client)

    async def _address_of_keys(self, client: httpcore.AsyncConnectionPool) -> str:
        issuer = self.issuer
        address = issuer.discoveryURL or issuer.url.removesuffix("/") + _WELL_KNOWN
        configuration = await _fetched(client, address)
        if configuration.get("issuer") != issuer.url:
            raise RejectedTokenError(f"oidc: the provider's issuer is not {issuer.url}")
        address = str(configuration.get("jwks_uri") or "")
        if urlsplit(address).scheme != "https":
            raise RejectedTokenError("oidc: provider did not return JWKS URL")
        return address

    async def _keys_from(self, client: httpcore.AsyncConnectionPool) -> dict[str, jwt.PyJWK]:
        address = await self._address_of_keys(client)
        keys: dict[str, jwt.PyJWK] = {}
        published = (await _fetched(client, address)).get("keys")
        for number, document in enumerate(published if isinstance(published, list) else ()):
            if not isinstance(document, dict) or not isinstance(identifier := document.get("kid", ""), str):
                continue
            try:
                keys[identifier or f"{number}"] = jwt.PyJWK.from_dict(document)
            except jwt.PyJWTError:
                continue
        return keys

    def _check(self, claims: Any, now: datetime) -> None:
        """Check issuer, audience and times in the claims of a token whose signature is valid.

        Raises RejectedTokenError if the token has another issuer, if it is for another audience, or if it is not valid
        at the time `now`.
        """
        if not isinstance(claims, dict) or issuer_of(claims) != self.issuer.url:
            raise RejectedTokenError("oidc: verify token: id token issued by a different provider")
        named = claims.get("aud") or []
        named = [named] if isinstance(named, str) else named
        if not isinstance(named, list) or not all(isinstance(one, str) for one in named):
            raise RejectedTokenError("oidc: verify token: the claim aud is neither a string nor a list of strings")
        if not set(self.issuer.audiences) & set(named):
            raise RejectedTokenError(f"oidc: expected audience in {self.issuer.audiences} got {named}")
        end, start = claims.get("exp"), claims.get("nbf")
        if not isinstance(end, int | float) or end <= now.timestamp():
            raise RejectedTokenError("oidc: verify token: token is expired")
        if isinstance(start, int | float) and start > (now + _EARLY).timestamp():
            raise RejectedTokenError("oidc: verify token: current time is before the nbf (not before) time")


def issuer_of(claims: Mapping[str, Any]) -> str:
    """Return the issuer in a token's claims, with ``https://``, which Google's tokens may lack."""
    issuer = claims.get("iss")
    if issuer == "accounts.google.com":
        return "https://accounts.google.com"
    return issuer if isinstance(issuer, str) else ""


async def _fetched(client: httpcore.AsyncConnectionPool, url: str) -> dict[str, Any]:
    """Return the JSON object at a URL. Raises RejectedTokenError if it cannot be fetched within 30 seconds."""
    try:
        async with asyncio.timeout(_SECONDS), client.stream("GET", url) as response:
            body = b""
            async for part in response.aiter_stream():
                body += part
                if len(body) > _MOST_BYTES:
                    raise RejectedTokenError(f"oidc: the answer of {url} is too large")
    except (httpcore.NetworkError, httpcore.ProtocolError, httpcore.TimeoutException, TimeoutError, OSError) as error:
        raise RejectedTokenError(f"oidc: fetching {url} failed: {error}") from None
    if response.status != 200:
        raise RejectedTokenError(f"oidc: the request to {url} was answered with status {response.status}")
    try:
        document = orjson.loads(body)
    except orjson.JSONDecodeError:
        document = None
    if not isinstance(document, dict):
        raise RejectedTokenError(f"oidc: the answer of {url} is not a JSON object")
    return document
