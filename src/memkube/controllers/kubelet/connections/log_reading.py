"""Reads container logs with the options of a log request, such as ``tailLines`` (``pkg/kubelet/kuberuntime``)."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta

from memkube.apis.core.v1.pods.stream_options import PodLogOptions
from memkube.controllers.kubelet.containers.log import ContainerLog, LogLine, LogPart, Position

_MOST_LINES_AT_ONCE = 1000


async def read_log(log: ContainerLog, options: PodLogOptions, now: datetime) -> AsyncIterator[bytes]:
    """Yield the lines of a container's log that the client's options select.

    With the option ``follow``, wait for further lines until the log is closed.
    """
    left = options.limitBytes if options.limitBytes is not None else -1
    since = _since(options, now)
    position = Position(max(log.end - options.tailLines, 0) if options.tailLines is not None else 0)
    while True:
        parts, position = log.read(position, _MOST_LINES_AT_ONCE)
        text = b"".join(_shown(parts, since, options))
        if left >= 0:
            text = text[:left]
            left -= len(text)
        if text:
            yield text
        if left == 0 or (not parts and (log.is_closed or not options.follow)):
            return
        if not parts:
            await log.changed()


async def follow_output(
    log: ContainerLog, position: Position, detached: asyncio.Future[None]
) -> AsyncIterator[LogLine]:
    """Yield a container's output from a position in the log on, as it is written.

    The iteration ends when the log is closed. It also ends when `detached` is done, because the client of the attach
    session has closed its input.
    """
    while True:
        parts, position = log.read(position, _MOST_LINES_AT_ONCE)
        for part in parts:
            yield part.line
        if not parts:
            if log.is_closed or detached.done():
                return
            changed = log.changed()
            try:
                await asyncio.wait([changed, detached], return_when=asyncio.FIRST_COMPLETED)
            finally:
                changed.cancel()


async def closed(log: ContainerLog) -> None:
    """Wait until a container's log is closed, so that no more lines are written to it."""
    while not log.is_closed:
        await log.changed()


def _since(options: PodLogOptions, now: datetime) -> datetime:
    if options.sinceTime is not None:
        return options.sinceTime.instant
    if options.sinceSeconds is not None:
        with suppress(OverflowError):
            return now - timedelta(seconds=options.sinceSeconds)
    return datetime.min.replace(tzinfo=UTC)


def _shown(parts: list[LogPart], since: datetime, options: PodLogOptions) -> Iterator[bytes]:
    only = (options.stream or "All").lower()
    for line, begins in parts:
        if line.written < since or only not in ("all", line.stream):
            continue
        if options.timestamps and begins:
            yield line.written.strftime("%Y-%m-%dT%H:%M:%S.%f000Z ").encode()
        yield line.data
