"""Authenticates the tokens of the providers in an AuthenticationConfiguration, which may change."""

import asyncio
from collections.abc import Callable, Collection
from datetime import datetime
from pathlib import Path
from time import monotonic
from typing import Final

from memkube.auth.authentication.oidc.authenticator import OidcAuthenticator
from memkube.auth.authentication.oidc.configuration import (
    ALGORITHMS,
    AuthenticationConfiguration,
    parse_authentication_configuration,
)
from memkube.auth.configuration_file import ConfigurationFile
from memkube.registry.declarations.authentication import RejectedTokenError
from memkube.registry.declarations.request_options import User
from memkube.telemetry.measures import ConfigurationReloads

_SECONDS_BETWEEN_ATTEMPTS: Final = 10.0
"""Minimum number of seconds between two attempts to reach the providers of a new configuration."""
_SECONDS_OF_ATTEMPT: Final = 5.0
"""Maximum number of seconds of an attempt, for which the request with a token waits that begins the attempt."""


class ConfiguredProviders:
    """Finds the user of an OpenID Connect token that a provider in a configuration file has issued.

    The file is read again when it has changed. The previous providers are kept if the new content is not valid, and
    until all new providers answer.
    """

    def __init__(
        self, path: Path, issuers: Collection[str], reloads: ConfigurationReloads, now: Callable[[], datetime]
    ) -> None:
        """Read the configuration file at `path`.

        `issuers` are the issuers of this server's own tokens, which no provider may have. `reloads` counts the later
        reloads of the file, and `now` returns the time of the server's clock. Raises ValueError with a one-line message
        if the file cannot be read or is not valid.
        """
        self._now = now
        self._issuers = issuers
        self._file = ConfigurationFile(path, "authentication", reloads, now)
        configuration = parse_authentication_configuration(self._file.text, path, issuers)
        self.anonymous = configuration.anonymous
        """Whether the anonymous user is accepted, which cannot change; None if the file does not say so."""
        self._authenticator = self._created(configuration)
        self._waiting: OidcAuthenticator | None = None
        """The providers in the changed file, which are used once all of them have answered; None at other times."""
        self._next_attempt = 0.0
        self._is_reloading = False

    async def user_of(self, token: str) -> User | None:
        """Return the user of a token; None if no configured provider has issued it.

        Raises RejectedTokenError if the token is not valid.
        """
        if not self._is_reloading:
            self._is_reloading = True
            try:
                await self._reload()
            finally:
                self._is_reloading = False
        return await self._authenticator.user_of(token)

    async def _reload(self) -> None:
        """Use the new content of the file if it has changed and all of its providers answer.

        As in kube-apiserver, the previous providers are used until then.
        """
        text = self._file.changed()
        if text is not None:
            self._waiting = None
            try:
                self._waiting = self._parsed(text)
            except ValueError as error:
                self._file.note_failure(error)
            self._next_attempt = monotonic()
        if self._waiting is None or monotonic() < self._next_attempt:
            return
        self._next_attempt = monotonic() + _SECONDS_BETWEEN_ATTEMPTS
        try:
            async with asyncio.timeout(_SECONDS_OF_ATTEMPT):
                await self._waiting.discover()
        except RejectedTokenError as error:
            self._file.note_failure(error)
            return
        except TimeoutError:
            self._file.note_failure(TimeoutError(f"a provider has not answered for {_SECONDS_OF_ATTEMPT:g} s"))
            return
        self._authenticator, self._waiting = self._waiting, None
        self._file.note_use()

    def _parsed(self, text: str) -> OidcAuthenticator:
        configuration = parse_authentication_configuration(text, self._file.path, self._issuers)
        if configuration.anonymous != self.anonymous:
            raise ValueError("anonymous: Forbidden: changed from initial configuration file")
        return self._created(configuration)

    def _created(self, configuration: AuthenticationConfiguration) -> OidcAuthenticator:
        return OidcAuthenticator(configuration.jwt, ALGORITHMS, self._now)
