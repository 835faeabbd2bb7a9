"""Sends audit events to a webhook, in batches (apiserver ``plugin/pkg/audit/webhook`` and ``buffered``)."""

import asyncio
import logging
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from random import random
from typing import Final

from memkube.apimachinery.json_text import to_json
from memkube.apimachinery.model import Document
from memkube.endpoints.auditing.options import AuditWebhookOptions
from memkube.hooks.client import HookClient
from memkube.hooks.configuration import HookFailed
from memkube.hooks.kubeconfig import read_webhook_kubeconfig

_LOGGER: Final = logging.getLogger("memkube")
_ATTEMPTS: Final = 5
_FACTOR: Final = 1.5
_JITTER: Final = 0.2
_CALL_SECONDS: Final = 30
_OK: Final = 300
_TEMPORARY: Final = (429, 500)


class AuditWebhook:
    """Sink of audit events that posts them to a webhook as EventLists. Requests do not wait for this."""

    def __init__(self, options: AuditWebhookOptions, client: HookClient) -> None:
        """Read the webhook's kubeconfig, whose path is in `options`. `client` sends the requests to the webhook.

        Raises ValueError with a one-line message if the kubeconfig cannot be read.
        """
        self._options = options
        self._client = client
        self._connection = read_webhook_kubeconfig(options.kubeconfig)
        self._events: deque[bytes] = deque()
        self._dropped = 0
        self._has_batch = asyncio.Event()
        self._is_closing = asyncio.Event()
        self._sending: asyncio.Task[None] | None = None

    def write(self, event: Document) -> None:
        """Queue an event. If the buffer is full, the event is dropped."""
        if len(self._events) >= self._options.buffer_size:
            self._dropped += 1
            return
        self._events.append(to_json(event))
        if self._sending is None:
            self._sending = asyncio.get_running_loop().create_task(self._send_batches())
        if len(self._events) >= self._options.batch_size:
            self._has_batch.set()

    async def close(self) -> None:
        """Send each waiting batch of events once, without retries, and stop sending."""
        self._is_closing.set()
        self._has_batch.set()
        if self._sending is not None:
            await self._sending

    async def _send_batches(self) -> None:
        while not self._is_closing.is_set() or self._events:
            with suppress(TimeoutError):
                async with asyncio.timeout(self._options.batch_seconds):
                    await self._has_batch.wait()
            batch = [self._events.popleft() for _ in range(min(len(self._events), self._options.batch_size))]
            if len(self._events) < self._options.batch_size and not self._is_closing.is_set():
                self._has_batch.clear()
            if batch:
                await self._send(batch)
            if self._dropped:
                _LOGGER.warning("%d audit events are lost: the buffer was full", self._dropped)
                self._dropped = 0

    async def _send(self, batch: Sequence[bytes]) -> None:
        """Post a batch. Failures that may be temporary are retried; the batch is dropped after the last attempt."""
        body = b'{"kind":"EventList","apiVersion":"audit.k8s.io/v1","metadata":{},"items":[%b]}' % b",".join(batch)
        wait, problem = self._options.backoff_seconds, ""
        for attempt in range(1, _ATTEMPTS + 1):
            problem, is_temporary = await self._post(body)
            if not problem:
                return
            if attempt == _ATTEMPTS or not is_temporary or self._is_closing.is_set():
                break
            with suppress(TimeoutError):
                async with asyncio.timeout(wait * (1 + random() * _JITTER)):  # noqa: S311  not a secret
                    await self._is_closing.wait()
            wait *= _FACTOR
        _LOGGER.warning("%d audit events are lost: %s", len(batch), problem)

    async def _post(self, body: bytes) -> tuple[str, bool]:
        """Post an EventList. Return the error message ("" for success), and True if another attempt may succeed."""
        try:
            answer = await self._client.post(self._connection.config, body, _CALL_SECONDS, self._connection.headers)
        except HookFailed as error:
            return error.message, True
        if answer.status < _OK:
            return "", False
        return f"the webhook answered with status {answer.status}", answer.status in _TEMPORARY
