"""Options of authorization, which allows or denies the requests of users."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, TypeAlias

import click

from memkube.auth.authorization.modes import selected_authorizers
from memkube.auth.authorization.webhook.options import ConfiguredAuthorizers, WebhookOptions
from memkube.cli.commands import PATH
from memkube.cli.options.durations import seconds_of
from memkube.cli.options.groups import option
from memkube.errors import ServerError, UsageError

_Version: TypeAlias = Literal["v1", "v1beta1"]


@dataclass(frozen=True, slots=True)
class AuthorizationOptions:
    """Options that select the authorizers, and configure the authorizer that asks a webhook."""

    authorization_mode: str = option(
        "Modes of authorization, with commas between them, in the order in which they decide: "
        "AlwaysAllow, AlwaysDeny, Node, RBAC, Webhook.",
        default="AlwaysAllow",
    )
    authorization_config: Path | None = option(
        "YAML file with an AuthorizationConfiguration, which lists the authorizers in order. It replaces "
        "--authorization-mode and the options of the webhook.",
        metavar="FILE",
        type=PATH,
    )
    authorization_webhook_config_file: Path | None = option(
        "Kubeconfig of the webhook that authorizes requests in the mode Webhook.", metavar="FILE", type=PATH
    )
    authorization_webhook_version: _Version = option(
        "API version of the SubjectAccessReviews that are sent to the webhook.",
        type=click.Choice(["v1", "v1beta1"]),
        default="v1beta1",
    )
    authorization_webhook_cache_authorized_ttl: str = option(
        "Time for which answers of the webhook that allow a request are remembered, such as 5m.", default="5m0s"
    )
    authorization_webhook_cache_unauthorized_ttl: str = option(
        "Time for which answers of the webhook that deny a request are remembered, such as 30s.", default="30s"
    )

    def authorizers(self) -> ConfiguredAuthorizers:
        """Return the authorizers in the configuration file; without a file, those that the other options select.

        Raises UsageError for invalid options, and ServerError for an invalid file.
        """
        flags = "--authorization-mode or --authorization-webhook-* flags are defined"
        if self.authorization_config is not None and replace(self, authorization_config=None) != AuthorizationOptions():
            raise UsageError(f"--authorization-config can not be specified when {flags}")
        try:
            return selected_authorizers(self.authorization_mode, self._webhook(), self.authorization_config)
        except UsageError:
            raise
        except ValueError as error:
            raise ServerError(str(error)) from None

    def _webhook(self) -> WebhookOptions | None:
        kubeconfig = self.authorization_webhook_config_file
        if kubeconfig is None:
            return None
        allowed = seconds_of(self.authorization_webhook_cache_authorized_ttl)
        refused = seconds_of(self.authorization_webhook_cache_unauthorized_ttl)
        return WebhookOptions(kubeconfig, self.authorization_webhook_version, allowed, refused)
