"""One connection to a port, whatever carries it."""

import logging

from memkube.registry.streaming import ByteStream, PortForwarding, StreamFailed

_LOGGER = logging.getLogger("memkube")


async def forward_failure(forward: PortForwarding, port: int, stream: ByteStream) -> str:
    """Serves a connection until it ends; what to tell the client where that was a failure. Raises OSError."""
    try:
        await forward(port, stream)
    except StreamFailed as error:
        return str(error)
    except OSError:
        raise
    except Exception as error:
        _LOGGER.exception("a connection to port %d failed", port)
        return f"error forwarding port {port}: {type(error).__name__}: {error}"
    return ""
