"""Options of the webhook that authenticates bearer tokens: its kubeconfig, the review version and caching."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class TokenWebhookOptions:
    """How to call the webhook that authenticates bearer tokens, and how long to cache its answers."""

    kubeconfig: Path
    """Kubeconfig with the address of the webhook, and with the credentials that the server sends to it."""
    version: str = "v1beta1"
    """Version of the TokenReviews that the server sends: ``v1`` or ``v1beta1``."""
    cache_seconds: float = 120
    """Seconds for which an answer of the webhook is cached; 0 to cache no answers."""
