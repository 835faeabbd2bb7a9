"""Information about the client of a connection, for the application."""

import asyncio


def sent_certificates(transport: asyncio.BaseTransport) -> tuple[bytes, ...]:
    """Return the certificates that the client has sent in the TLS handshake, in DER, beginning with its own.

    None of them is verified. Empty if the connection has no TLS, or does not ask the client for certificates.
    """
    tls = transport.get_extra_info("ssl_object")
    return () if tls is None else tuple(tls.get_unverified_chain())
