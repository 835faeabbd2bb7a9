"""Authenticates bearer tokens by TokenReviews to a webhook (``plugin/pkg/authenticator/token/webhook``)."""

from collections import OrderedDict
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Final, NamedTuple

from memkube.apis.authentication.v1.types import TokenReview
from memkube.auth.authentication.token_webhook_options import TokenWebhookOptions
from memkube.auth.reviews.webhook import ReviewWebhook
from memkube.hooks.answers import ExpectedKind
from memkube.hooks.client import HookClient
from memkube.hooks.configuration import HookFailed
from memkube.hooks.kubeconfig import read_webhook_kubeconfig
from memkube.registry.declarations.authentication import Authenticated, RejectedTokenError
from memkube.registry.declarations.request_options import User

_GROUP: Final = "authentication.k8s.io"
_MOST_REMEMBERED: Final = 4096
_CALL_SECONDS: Final = 10


class _Remembered(NamedTuple):
    found: Authenticated | None
    until: datetime


class TokenWebhook:
    """Authenticates bearer tokens by calling a webhook.

    The webhook's answers are cached for the number of seconds in the options, measured by the server's clock.
    """

    def __init__(
        self,
        options: TokenWebhookOptions,
        client: HookClient,
        own_audiences: Callable[[], Sequence[str]],
        now: Callable[[], datetime],
    ) -> None:
        """Read the kubeconfig of the webhook, whose path is in `options`.

        `client` sends the requests to the webhook, and `now` returns the time of the server's clock. `own_audiences`
        returns the audiences of this server: if the webhook's answer names no audiences, the token is valid for these.
        Raises ValueError with a one-line message if the kubeconfig cannot be read.
        """
        connection = read_webhook_kubeconfig(options.kubeconfig)
        expected = ExpectedKind(f"{_GROUP}/{options.version}", "TokenReview")
        self._webhook = ReviewWebhook(client, connection, TokenReview, expected, _CALL_SECONDS)
        self._seconds = options.cache_seconds
        self._own_audiences = own_audiences
        self._now = now
        self._answers: OrderedDict[bytes, _Remembered] = OrderedDict()

    async def authenticate(self, token: str, audiences: Sequence[str]) -> Authenticated | None:
        """Return the user of a token; None if the webhook does not know the token.

        The token must be valid for at least one of `audiences`; if it is not, the result is None too. Raises
        RejectedTokenError if the webhook fails or gives a reason why the token is not valid.
        """
        # The cache is keyed by hashes, so that tokens do not stay in memory.
        key = sha256("\n".join((token, *audiences)).encode()).digest()
        remembered = self._answers.get(key)
        if remembered is not None and self._now() < remembered.until:
            self._answers.move_to_end(key)
            return remembered.found
        try:
            review = await self._webhook.review({"token": token, "audiences": list(audiences)})
        except HookFailed as error:
            raise RejectedTokenError(error.message) from None
        found = self._authenticated(review, audiences)
        if self._seconds:
            self._answers[key] = _Remembered(found, self._now() + timedelta(seconds=self._seconds))
            self._answers.move_to_end(key)
            if len(self._answers) > _MOST_REMEMBERED:
                self._answers.popitem(last=False)
        return found

    def _authenticated(self, review: TokenReview, audiences: Sequence[str]) -> Authenticated | None:
        status = review.status
        named = status.audiences or self._own_audiences()
        common = tuple(audience for audience in audiences if audience in named)
        if not common:
            return None
        if not status.authenticated:
            if status.error:
                raise RejectedTokenError(status.error)
            return None
        extra = {key: tuple(values) for key, values in status.user.extra.items()}
        user = User(status.user.username, status.user.uid, tuple(status.user.groups), extra)
        return Authenticated(user, common)
