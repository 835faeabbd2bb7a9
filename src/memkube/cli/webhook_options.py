"""Options of ``memkube serve`` for webhooks that authenticate tokens and authorize requests."""

from pathlib import Path
from typing import Annotated, Literal, TypeAlias

from typer import Option

from memkube.apimachinery.duration import parse_duration
from memkube.auth.authentication.token_webhook_options import TokenWebhookOptions
from memkube.auth.authorization.webhook.options import WebhookOptions
from memkube.errors import UsageError

_Version: TypeAlias = Literal["v1", "v1beta1"]
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


def authorization_webhooks(
    kubeconfig: Path | None, version: str, authorized: str, unauthorized: str
) -> tuple[WebhookOptions, ...]:
    """Return the options of the webhook of the mode Webhook; none without a kubeconfig.

    Raises UsageError for a malformed duration.
    """
    if kubeconfig is None:
        return ()
    return (WebhookOptions(kubeconfig, version, _seconds(authorized), _seconds(unauthorized)),)


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
