"""Ports for programs that have to be told theirs."""

import socket


def free_port() -> int:
    """One of loopback that nobody uses, which somebody may until it is taken."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
