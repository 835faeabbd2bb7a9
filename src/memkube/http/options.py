"""Limits of a connection, and how a server shuts down."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ConnectionLimits:
    """What one client may take of the server's memory and patience."""

    header_bytes: int = 1024 * 1024
    """How long a request's address and headers may be, all together."""
    header_seconds: float = 32.0
    """How long they may take to arrive."""
    idle_seconds: float = 90.0
    """How long a connection is kept open between two requests."""
    request_seconds: float = 60.0
    """How long a request may take that is no watch and no stream; its ``timeout`` may ask for less."""


@dataclass(frozen=True, slots=True)
class ShutdownOptions:
    """How a server ends when a signal tells it to, as kube-apiserver's options of these names say.

    One that a program of its own ends has a second for what is under way.
    """

    delay_seconds: float = 0.0
    """How long it serves on, while ``/readyz`` says already that it will not."""
    grace_seconds: float = 60.0
    """How long requests that are under way may take then; watches and streams end."""
    send_retry_after: bool = False
    """Whether it listens on until those are answered, and answers others with 429."""
