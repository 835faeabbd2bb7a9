"""Options of ``memkube serve`` for webhooks that authenticate tokens and authorize requests."""

from pathlib import Path
from typing import Annotated, Literal, TypeAlias

from typer import Option

from memkube.apimachinery.duration import parse_duration
from memkube.auth.authentication.token_webhook_options import TokenWebhookOptions
from memkube.auth.authorization.modes import ALWAYS_ALLOW, selected_modes
from memkube.auth.authorization.webhook.options import ConfiguredAuthorizers, WebhookOptions
from memkube.errors import ServerError, UsageError

_Version: TypeAlias = Literal["v1", "v1beta1"]
AuthorizationConfig: TypeAlias = Annotated[
    Path | None,
    Option(
        metavar="FILE",
        help="AuthorizationConfiguration with the authorizers in order, instead of the mode and its webhook.",
    ),
]
AuthorizationWebhookConfigFile: TypeAlias = Annotated[
    Path | None, Option(metavar="FILE", help="Kubeconfig of the webhook that the mode Webhook asks.")
]
AuthorizationWebhookVersion: TypeAlias = Annotated[
    _Version, Option(help="Version of the SubjectAccessReviews that the webhook is sent.")
]
AuthorizationWebhookCacheAuthorizedTtl: TypeAlias = Annotated[
    str, Option(help="Time for which the webhook's answers to allowed requests are remembered, such as 5m.")
]
AuthorizationWebhookCacheUnauthorizedTtl: TypeAlias = Annotated[
    str, Option(help="Time for which the webhook's answers to other requests are remembered, such as 30s.")
]
AuthenticationTokenWebhookConfigFile: TypeAlias = Annotated[
    Path | None,
    Option(metavar="FILE", help="Kubeconfig of the webhook that authenticates bearer tokens. Credentials are checked."),
]
AuthenticationTokenWebhookVersion: TypeAlias = Annotated[
    _Version, Option(help="Version of the TokenReviews that the webhook is sent.")
]
AuthenticationTokenWebhookCacheTtl: TypeAlias = Annotated[
    str, Option(help="Time for which the webhook's answers about tokens are remembered, such as 2m.")
]


def chosen_authorizers(
    configuration: Path | None, modes: str, webhook: tuple[Path | None, str, str, str]
) -> ConfiguredAuthorizers:
    """Return the authorizers of a configuration file, or of the other options without such a file.

    `webhook` has the kubeconfig of a webhook, the version of its reviews, and the times for which its answers are
    remembered. Raises UsageError for options that are not possible, and ServerError for a file that is not valid.
    """
    kubeconfig, version, authorized, unauthorized = webhook
    if configuration is None:
        options: tuple[WebhookOptions, ...] = ()
        if kubeconfig is not None:
            options = (WebhookOptions(kubeconfig, version, _seconds(authorized), _seconds(unauthorized)),)
        return ConfiguredAuthorizers(selected_modes(modes, has_webhook=kubeconfig is not None), options)
    if modes != ALWAYS_ALLOW or kubeconfig is not None:
        flags = "--authorization-mode or --authorization-webhook-* flags are defined"
        raise UsageError(f"--authorization-config can not be specified when {flags}")
    # Few servers have such a file, so the others do not import its format.
    from memkube.auth.authorization.configuration import read_authorization_configuration  # noqa: PLC0415

    try:
        return read_authorization_configuration(configuration)
    except ValueError as error:
        raise ServerError(str(error)) from None


def token_webhook(kubeconfig: Path | None, version: str, ttl: str) -> TokenWebhookOptions | None:
    """Return the options of the webhook that authenticates tokens; None without a kubeconfig.

    Raises UsageError for a malformed duration.
    """
    return None if kubeconfig is None else TokenWebhookOptions(kubeconfig, version, _seconds(ttl))


def _seconds(duration: str) -> float:
    try:
        return parse_duration(duration)
    except ValueError as error:
        raise UsageError(str(error)) from None
