"""The certificates that a client sent in its TLS handshake, for the ASGI application."""

import asyncio


def sent_certificates(transport: asyncio.BaseTransport) -> tuple[bytes, ...]:
    """Return the certificates that the client has sent in the TLS handshake, in DER, its own certificate first.

    The certificates are not verified. Return an empty tuple if the connection has no TLS, or if the server did not ask
    the client for certificates.
    """
    tls = transport.get_extra_info("ssl_object")
    return () if tls is None else tuple(tls.get_unverified_chain())
