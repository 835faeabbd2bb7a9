"""Limits of one client's connection, and options for the shutdown of the server."""

from typing import NamedTuple


class ConnectionLimits(NamedTuple):
    """Limits of the memory and the time that one client's connection can take."""

    header_bytes: int = 1024 * 1024
    """Maximum number of bytes of a request's URL and headers together."""
    header_seconds: float = 32.0
    """Seconds until the headers of a request have to be complete."""
    idle_seconds: float = 90.0
    """Seconds that a connection stays open between two requests."""
    request_seconds: float = 60.0
    """Seconds that a request may take, except for watches and streams; the client's ``timeout`` may lower it."""


class ShutdownOptions(NamedTuple):
    """Options for the shutdown of a server after a signal, like kube-apiserver's ``--shutdown-…`` options.

    If a program stops the server instead, open requests have one second to finish.
    """

    delay_seconds: float = 0.0
    """Seconds to serve requests after ``/readyz`` has begun to fail, before shutting down."""
    grace_seconds: float = 60.0
    """Maximum number of seconds for open requests to finish; watches and streams are ended earlier."""
    send_retry_after: bool = False
    """True to keep listening until open requests are finished, and to answer new ones with 429."""
