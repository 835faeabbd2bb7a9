"""Authenticates the tokens of the providers in an AuthenticationConfiguration, which may change."""

from collections.abc import Callable, Collection
from datetime import datetime
from pathlib import Path

from memkube.auth.authentication.oidc.authenticator import OidcAuthenticator
from memkube.auth.authentication.oidc.configuration import (
    ALGORITHMS,
    AuthenticationConfiguration,
    parse_authentication_configuration,
)
from memkube.auth.configuration_file import ConfigurationFile
from memkube.registry.declarations.request_options import User
from memkube.telemetry.measures import ConfigurationReloads


class ConfiguredProviders:
    """Finds the user of an OpenID Connect token that a provider in a configuration file has issued.

    The file is read again when it has changed. If its new content is not valid, the previous providers are kept.
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

    async def user_of(self, token: str) -> User | None:
        """Return the user of a token; None if no configured provider has issued it.

        Raises RejectedTokenError if the token is not valid.
        """
        self._file.reload(self._use)
        return await self._authenticator.user_of(token)

    def _use(self, text: str) -> None:
        configuration = parse_authentication_configuration(text, self._file.path, self._issuers)
        if configuration.anonymous != self.anonymous:
            raise ValueError("anonymous: Forbidden: changed from initial configuration file")
        self._authenticator = self._created(configuration)

    def _created(self, configuration: AuthenticationConfiguration) -> OidcAuthenticator:
        return OidcAuthenticator(configuration.jwt, ALGORITHMS, self._now)
