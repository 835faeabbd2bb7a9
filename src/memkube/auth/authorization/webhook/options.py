"""Options of the authorizers that ask webhooks: kubeconfig, review version, caching, failures and conditions."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

VERSIONS: Final = ("v1", "v1beta1")


@dataclass(frozen=True, slots=True)
class WebhookOptions:
    """How to call one webhook that authorizes requests, for which requests, and what to do if the call fails."""

    kubeconfig: Path
    """Kubeconfig with the address of the webhook, and with the credentials that the server sends to it."""
    version: str = "v1beta1"
    """Version of the SubjectAccessReviews that the server sends: ``v1`` or ``v1beta1``."""
    authorized_seconds: float = 300
    """Seconds for which the webhook's answer is cached if it allows the request; 0 to cache no such answer."""
    unauthorized_seconds: float = 30
    """Seconds for which the webhook's answer is cached if it does not allow the request; 0 to cache no such answer."""
    timeout_seconds: float = 30
    """Maximum number of seconds that one call of the webhook may take."""
    denies_on_failure: bool = False
    """True to deny a request if the webhook fails; False to ask the next authorizer."""
    conditions: tuple[str, ...] = ()
    """CEL expressions over ``request`` that must all be true for the webhook to be asked."""


class ConfiguredAuthorizers(NamedTuple):
    """The modes of a server's authorizers in order, and the options of its authorizers that are webhooks."""

    modes: tuple[str, ...] = ("AlwaysAllow",)
    webhooks: tuple[WebhookOptions, ...] = ()
    """Options of the webhooks that authorize requests, one for each mode ``Webhook``."""
    file: Path | None = None
    """File with the AuthorizationConfiguration that lists the authorizers; None if the modes are given as options.

    The server reads the file again when it changes.
    """

    @property
    def allow_anonymous(self) -> bool:
        """True if requests without credentials are accepted by default.

        With AlwaysAllow they are not, because they could do everything. The modes in a file are not considered, as in
        Kubernetes.
        """
        return self.file is not None or "AlwaysAllow" not in self.modes
