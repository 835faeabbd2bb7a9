"""Sending raw bytes to a server."""

import socket

from memkube.server.server import Server


def exchanged(server: Server, sent: bytes) -> bytes:
    """Send bytes, and return everything that the server sends until it closes the connection."""
    with socket.create_connection((server.host, server.port), 60) as connection:
        connection.sendall(sent)
        received = b""
        try:
            while piece := connection.recv(65536):
                received += piece
        except ConnectionResetError:
            pass
        return received
