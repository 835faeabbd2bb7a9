"""The authorizers of an AuthorizationConfiguration that may change (``pkg/kubeapiserver/authorizer/reload.go``)."""

from collections.abc import Callable
from typing import Final

from memkube.auth.authorization.configuration import parse_authorization_configuration
from memkube.auth.authorization.interface import Attributes, Authorizer, Decision, UserRules
from memkube.auth.authorization.modes import NODE, RBAC, WEBHOOK
from memkube.auth.authorization.webhook.options import ConfiguredAuthorizers
from memkube.auth.configuration_file import ConfigurationFile
from memkube.registry.declarations.request_options import User

_FROM_THE_START: Final = (NODE, RBAC)
"""Modes of authorization that a changed configuration file cannot add."""


class ReloadingAuthorizer(Authorizer):
    """Authorizes requests by the authorizers in a configuration file, which is read again when it has changed.

    If the new content is not valid, the previous authorizers are kept. A changed file may add and remove webhooks, but
    must contain all other modes with which the server started.
    """

    def __init__(
        self,
        file: ConfigurationFile,
        configured: ConfiguredAuthorizers,
        create: Callable[[ConfiguredAuthorizers], Authorizer],
    ) -> None:
        """Create the authorizer for the present content of the file.

        `configured` is this content, already parsed. `create` gets the parsed content of the file, now and after each
        change, and returns the authorizer for it. Raises ValueError if the kubeconfig of a webhook cannot be read.
        """
        self._file = file
        self._required = frozenset(configured.modes) - {WEBHOOK}
        self._configured = configured
        self._create = create
        self._current = create(configured)

    async def catch_up(self) -> None:
        self._file.reload(self._use)
        await self._current.catch_up()

    def authorize(self, attributes: Attributes) -> Decision:
        return self._current.authorize(attributes)

    async def decide(self, attributes: Attributes) -> Decision:
        self._file.reload(self._use)
        return await self._current.decide(attributes)

    def rules_for(self, user: User, namespace: str) -> UserRules:
        return self._current.rules_for(user, namespace)

    def _use(self, text: str) -> None:
        configured = parse_authorization_configuration(text, self._file.path, self._required)
        for mode in _FROM_THE_START:
            if mode in configured.modes and mode not in self._required:
                raise ValueError(
                    f"authorizer type {mode} is not allowed if it was not enabled at initial server startup"
                )
        if configured != self._configured:
            self._current = self._create(configured)
            self._configured = configured
