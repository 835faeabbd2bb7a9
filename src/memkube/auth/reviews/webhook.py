"""Client of a webhook that answers TokenReviews or SubjectAccessReviews.

Source: apiserver ``pkg/util/webhook`` (GenericWebhook).
"""

import asyncio
from random import random
from typing import Final, Generic, TypeVar

from memkube.apimachinery.forms import ModelForm
from memkube.apimachinery.json_text import to_json
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.model import Document
from memkube.hooks.answers import ExpectedKind, decode_answer
from memkube.hooks.client import Answer, HookClient
from memkube.hooks.configuration import HookFailed
from memkube.hooks.kubeconfig import WebhookConnection

M = TypeVar("M", bound=ApiObject)
_ATTEMPTS: Final = 5
_FIRST_WAIT: Final = 0.5
"""Seconds to wait before the second attempt. Each later wait is 1.5 times as long, and a random part of at most 20 % is
added."""
_FACTOR: Final = 1.5
_JITTER: Final = 0.2
_TRANSIENT: Final = (429, 500, 504)
_RESET: Final = "connection reset by peer"


class ReviewWebhook(Generic[M]):
    """Posts reviews of one kind, such as TokenReviews, to a webhook."""

    def __init__(
        self, client: HookClient, connection: WebhookConnection, model: type[M], expected: ExpectedKind, seconds: float
    ) -> None:
        """Create the client.

        `connection` has the webhook's address and credentials from a kubeconfig. `expected` is the kind of the reviews,
        `model` the model of the answers, and `seconds` the maximum duration of a call.
        """
        self._client = client
        self._connection = connection
        self._form = ModelForm(model)
        self._expected = expected
        self._seconds = seconds

    async def review(self, spec: Document) -> M:
        """Send a review to the webhook and return its answer.

        The call is repeated after a connection reset and after the statuses 429, 500 and 504, up to five attempts in
        all. Raises HookFailed for any other failure, and if the last attempt fails.
        """
        kind, version = self._expected.kind, self._expected.api_version
        body = to_json({"kind": kind, "apiVersion": version, "metadata": {}, "spec": spec})
        wait = _FIRST_WAIT
        for _ in range(_ATTEMPTS - 1):
            try:
                answer = await self._sent(body)
            except HookFailed as error:
                if not error.message.endswith(_RESET):
                    raise
            else:
                if answer.status not in _TRANSIENT:
                    return decode_answer(answer, self._form, self._expected)
            await asyncio.sleep(wait * (1 + random() * _JITTER))  # noqa: S311  not a secret
            wait *= _FACTOR
        return decode_answer(await self._sent(body), self._form, self._expected)

    async def _sent(self, body: bytes) -> Answer:
        return await self._client.post(self._connection.config, body, self._seconds, self._connection.headers)
