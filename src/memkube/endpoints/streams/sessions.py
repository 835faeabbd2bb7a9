"""A process's run over any carrier: until it ends, which the client is told, or until the client leaves."""

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any, Protocol, TypeVar

from memkube.apimachinery.meta.v1.status import Status, StatusCause, StatusDetails
from memkube.apimachinery.model import Document
from memkube.registry.streaming import ProcessStreams, Session, StreamFailed

T = TypeVar("T")
_LOGGER = logging.getLogger("memkube")


class ClientLeft(Exception):
    """The client closed the connection or lost it."""


class ProcessCarrier(Protocol):
    """Carries a process's streams."""

    async def start(self) -> ProcessStreams:
        """The streams, once the client has opened them. Raises ClientLeft where it does not."""

    async def serve(self) -> None:
        """Takes in what the client sends, until it leaves."""

    async def report(self, status: Document) -> None:
        """Tells how the process ended, and that nothing follows."""


async def serve_process(session: Session, carrier: ProcessCarrier) -> None:
    """Runs the session and reports how it ended."""
    try:
        status = await while_connected(carrier.serve(), _outcome(session, carrier))
        await carrier.report(status)
    except (ClientLeft, OSError):
        return


async def while_connected(serving: Coroutine[Any, Any, None], work: Coroutine[Any, Any, T]) -> T:
    """Does `work` while `serving` goes on. Raises ClientLeft, with `work` cancelled, where that ends first."""
    tasks = asyncio.ensure_future(serving), asyncio.ensure_future(work)
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        if not tasks[1].done():
            raise ClientLeft
        return tasks[1].result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _outcome(session: Session, carrier: ProcessCarrier) -> Document:
    """The Status that tells how a session ended."""
    streams = await carrier.start()
    try:
        code = await session(streams)
    except StreamFailed as error:
        return _internal_error(str(error))
    except OSError:
        raise ClientLeft from None
    except Exception as error:
        _LOGGER.exception("a session failed")
        return _internal_error(f"{type(error).__name__}: {error}")
    return _exited(code) if code else Status(status="Success").to_document()


def _exited(code: int) -> Document:
    """Source: ``k8s.io/apiserver/pkg/util/proxy`` (codeExitToStatusError)."""
    message = f"command terminated with non-zero exit code: command terminated with exit code {code}"
    details = StatusDetails(causes=[StatusCause(reason="ExitCode", message=str(code))])
    return Status(status="Failure", reason="NonZeroExitCode", message=message, details=details).to_document()


def _internal_error(why: str) -> Document:
    message = f"Internal error occurred: {why}"
    return Status(status="Failure", reason="InternalError", message=message, code=500).to_document()
