"""What a connection over TLS tells the application about the client."""

import asyncio


def sent_certificates(transport: asyncio.BaseTransport) -> tuple[bytes, ...]:
    """Return the certificates that the client has sent in the handshake, in DER, beginning with its own.

    None of them is verified. Empty if the connection has no TLS, or does not ask the client for certificates.
    """
    tls = transport.get_extra_info("ssl_object")
    # Before Python 3.13, an ssl.SSLObject does not have this method; it never asks for certificates here.
    chain = getattr(tls, "get_unverified_chain", None)
    return () if chain is None else tuple(chain())
