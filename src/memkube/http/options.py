"""Limits of a connection, and the options of a shutdown."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ConnectionLimits:
    """Limits of the memory and time that one client takes."""

    header_bytes: int = 1024 * 1024
    """Maximum number of bytes of a request's URL and headers together."""
    header_seconds: float = 32.0
    """Seconds until the headers of a request have to be complete."""
    idle_seconds: float = 90.0
    """Seconds that a connection stays open between two requests."""
    request_seconds: float = 60.0
    """Seconds that a request may take, except for watches and streams; the client's ``timeout`` may lower it."""


@dataclass(frozen=True, slots=True)
class ShutdownOptions:
    """How a server shuts down after a signal, as kube-apiserver's options of these names.

    A server that a program stops has one second for open requests.
    """

    delay_seconds: float = 0.0
    """Seconds to serve on after ``/readyz`` has begun to fail."""
    grace_seconds: float = 60.0
    """Seconds for open requests to finish; watches and streams are ended."""
    send_retry_after: bool = False
    """True to keep listening until open requests are finished, and to answer new ones with 429."""
