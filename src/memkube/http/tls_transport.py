"""TLS connections as transports of the event loop.

OpenSSL reads from the socket and writes to it. The TLS of event loops passes all bytes through buffers in memory
instead, which takes twice as long for a small request (docs/performance.md).
"""

import asyncio
import contextlib
import os
import socket
from collections import deque
from collections.abc import Callable, Iterable
from typing import Any, Final

from cryptography.hazmat.bindings.openssl.binding import Binding
from OpenSSL import SSL
from uvicorn.server import ServerState

from memkube.endpoints.transport import CLIENT_CERTIFICATES
from memkube.http.tls import openssl_reason, sent_certificates

_RECORD: Final = 16 * 1024
"""Maximum number of decrypted bytes in a TLS record."""
_HIGH_WATER: Final = 64 * 1024
"""Number of unsent bytes above which the protocol is asked to stop writing."""
_LOW_WATER: Final = 16 * 1024
"""Number of unsent bytes from which on the protocol may write again."""
_CLOSING_SECONDS: Final = 30.0
"""Maximum number of seconds for a client to read the last bytes of a connection that the server closes."""
_PLAIN_HTTP: Final = "http request"
"""OpenSSL's reason for the error of a handshake whose client speaks HTTP without TLS."""
_PLAIN_HTTP_ANSWER: Final = b"HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n"
_forget_errors: Final = Binding().lib.ERR_clear_error
"""Function that empties OpenSSL's queue of errors.

Otherwise an operation that has to wait would report an earlier error, for example that of a refused client certificate.
"""


class TlsAcceptor(asyncio.Protocol):
    """Accepts a TCP connection, and performs the TLS handshake. Then a protocol serves the connection over TLS."""

    def __init__(
        self,
        settings: Callable[[], SSL.Context],
        make_protocol: Callable[..., asyncio.Protocol],
        handshake_seconds: float,
        **arguments: Any,
    ) -> None:
        """Create the acceptor for one connection.

        `settings` returns the current TLS settings. After the handshake, `make_protocol` returns the protocol. It
        is called with `arguments`, which uvicorn passes to each protocol. The handshake may take `handshake_seconds`.
        """
        self._settings = settings
        self._make_protocol = make_protocol
        self._arguments = arguments
        self._state: ServerState = arguments["server_state"]
        self._loop = asyncio.get_running_loop()
        self._time_limit = self._loop.call_later(handshake_seconds, self.shutdown)

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # it is a Transport
        """Take the socket over from the event loop's transport, and begin the handshake."""
        self._socket = socket.socket(fileno=os.dup(transport.get_extra_info("socket").fileno()))
        transport.abort()
        self._descriptor = self._socket.fileno()
        self._context = self._settings()
        self._tls = SSL.Connection(self._context, self._socket)
        self._tls.set_accept_state()
        self._state.connections.add(self)  # type: ignore[arg-type]  # uvicorn only calls shutdown()
        self._loop.add_reader(self._descriptor, self._shake_hands)

    def shutdown(self) -> None:
        """Close the connection before the end of the handshake, because the server stops or the time is over."""
        self._leave()
        self._socket.close()

    def _shake_hands(self) -> None:
        self._loop.remove_writer(self._descriptor)
        _forget_errors()
        try:
            self._tls.do_handshake()
        except SSL.WantReadError:
            return
        except SSL.WantWriteError:
            self._loop.add_writer(self._descriptor, self._shake_hands)
            return
        except SSL.Error as error:
            if openssl_reason(error) == _PLAIN_HTTP:
                self._answer_plain_http()
            self.shutdown()
            return
        self._leave()
        TlsTransport(self._socket, self._tls, self._context, self._make_protocol(**self._arguments)).start()

    def _answer_plain_http(self) -> None:
        """Answer a request without TLS with the text that Go's HTTP server sends."""
        with contextlib.suppress(OSError):
            # If the socket were closed with unread bytes, the client could lose the answer.
            self._socket.recv(_RECORD)
            self._socket.send(_PLAIN_HTTP_ANSWER)

    def _leave(self) -> None:
        self._time_limit.cancel()
        self._loop.remove_reader(self._descriptor)
        self._loop.remove_writer(self._descriptor)
        self._state.connections.discard(self)


class TlsTransport(asyncio.Transport):
    """The transport of a TLS connection after its handshake, which calls the methods of its protocol.

    It behaves as the event loop's transports do. Its extra information has the certificates of the client
    (`CLIENT_CERTIFICATES`).
    """

    def __init__(
        self, connected: socket.socket, tls: SSL.Connection, context: SSL.Context, protocol: asyncio.Protocol
    ) -> None:
        certificates = sent_certificates(tls)
        super().__init__({"socket": connected, "sslcontext": context, CLIENT_CERTIFICATES: certificates})
        self._loop = asyncio.get_running_loop()
        self._socket = connected
        self._descriptor = connected.fileno()
        self._tls = tls
        self._protocol: asyncio.Protocol = protocol
        self._unsent: deque[memoryview] = deque()
        self._unsent_size = 0
        self._is_reading = False
        self._waits_to_read = False
        self._waits_to_write = False
        self._has_paused_writing = False
        self._is_closing = False
        self._is_lost = False
        self._time_limit: asyncio.TimerHandle | None = None

    def start(self) -> None:
        """Tell the protocol that the connection is made, and begin to read."""
        self._protocol.connection_made(self)
        self.resume_reading()

    def get_protocol(self) -> asyncio.BaseProtocol:
        """Return the protocol that the connection serves."""
        return self._protocol

    def set_protocol(self, protocol: asyncio.BaseProtocol) -> None:
        """Pass received bytes to another protocol from now on."""
        assert isinstance(protocol, asyncio.Protocol)
        self._protocol = protocol

    def is_reading(self) -> bool:
        """Return True if received bytes are passed to the protocol."""
        return self._is_reading

    def pause_reading(self) -> None:
        """Pass no received bytes to the protocol until `resume_reading` is called."""
        if self._is_reading:
            self._is_reading = False
            self._loop.remove_reader(self._descriptor)

    def resume_reading(self) -> None:
        """Pass received bytes to the protocol again."""
        if not self._is_reading and not self._is_closing:
            self._is_reading = True
            self._loop.add_reader(self._descriptor, self._read)

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Send bytes at the end of the event loop's iteration, together with those of other calls.

        The client then reads the responses to several requests at once. Bytes that it does not read are buffered.
        Nothing is sent after `close`.
        """
        if self._is_closing or not data:
            return
        if not self._unsent:
            self._loop.call_soon(self._flush)
        self._unsent.append(memoryview(bytes(data)))
        self._unsent_size += len(data)
        if self._unsent_size > _HIGH_WATER and not self._waits_to_write:
            self._flush()
        if self._unsent_size > _HIGH_WATER and not self._has_paused_writing:
            self._has_paused_writing = True
            self._protocol.pause_writing()

    def writelines(self, list_of_data: Iterable[bytes | bytearray | memoryview]) -> None:
        """Send byte strings as if they were one."""
        self.write(b"".join(list_of_data))

    def can_write_eof(self) -> bool:
        """Return False, because a TLS connection is closed for both directions at once."""
        return False

    def get_write_buffer_size(self) -> int:
        """Return the number of bytes that are not sent yet."""
        return self._unsent_size

    def is_closing(self) -> bool:
        """Return True if the connection is closed, or will be once the last bytes are sent."""
        return self._is_closing

    def close(self) -> None:
        """Send the bytes that are buffered, within 30 seconds, and close the connection."""
        if self._is_closing:
            return
        self.pause_reading()
        self._is_closing = True
        if self._unsent:
            self._time_limit = self._loop.call_later(_CLOSING_SECONDS, self.abort)
        else:
            self._say_goodbye()

    def abort(self) -> None:
        """Close the connection at once. Bytes that are buffered are lost."""
        self._lose(None)

    def _read(self) -> None:
        """Decrypt one TLS record, and pass its bytes to the protocol."""
        _forget_errors()
        try:
            data = self._tls.recv(_RECORD)
        except SSL.WantReadError:
            return
        except SSL.WantWriteError:
            # The client has asked for new keys, and does not read the answer. Until it does, nothing is read from it.
            self._waits_to_read = True
            self._loop.remove_reader(self._descriptor)
            self._await_writable()
            return
        except SSL.ZeroReturnError:
            self._protocol.eof_received()
            self.close()
            return
        except SSL.Error as error:
            self._lose(ConnectionError(openssl_reason(error)))
            return
        try:
            self._protocol.data_received(data)
        except BaseException:
            self.abort()
            raise

    def _send(self, data: memoryview) -> memoryview:
        """Encrypt and send bytes until the socket accepts no more. Return the bytes that are left."""
        _forget_errors()
        sent = 0
        try:
            while sent < len(data):
                sent += self._tls.send(data[sent:])
        except SSL.WantWriteError:
            pass
        except SSL.Error as error:
            self._lose(ConnectionError(openssl_reason(error)))
        return data[sent:]

    def _write_on(self) -> None:
        """Send buffered bytes, because the socket accepts bytes again."""
        self._waits_to_write = False
        self._loop.remove_writer(self._descriptor)
        if self._waits_to_read:
            self._waits_to_read = False
            if self._is_reading:
                self._loop.add_reader(self._descriptor, self._read)
        self._flush()

    def _flush(self) -> None:
        """Send buffered bytes until the socket accepts no more."""
        if self._is_lost:
            return
        while self._unsent:
            if len(self._unsent) > 1 and self._unsent_size <= _HIGH_WATER:
                # Each call of OpenSSL makes a TLS record of its own.
                self._unsent = deque([memoryview(b"".join(self._unsent))])
            data = self._unsent[0]
            rest = self._send(data)
            if self._is_lost:
                return
            self._unsent_size -= len(data) - len(rest)
            if rest:
                self._unsent[0] = rest
                self._await_writable()
                break
            self._unsent.popleft()
        if self._has_paused_writing and self._unsent_size <= _LOW_WATER:
            self._has_paused_writing = False
            self._protocol.resume_writing()
        if not self._unsent and self._is_closing:
            self._say_goodbye()

    def _await_writable(self) -> None:
        if not self._waits_to_write:
            self._waits_to_write = True
            self._loop.add_writer(self._descriptor, self._write_on)

    def _say_goodbye(self) -> None:
        """Send the close_notify alert, and close the connection without waiting for the client's alert."""
        _forget_errors()
        with contextlib.suppress(SSL.Error):
            self._tls.shutdown()
        self._lose(None)

    def _lose(self, error: Exception | None) -> None:
        if self._is_lost:
            return
        self._is_lost = self._is_closing = True
        self._is_reading = False
        self._loop.remove_reader(self._descriptor)
        self._loop.remove_writer(self._descriptor)
        if self._time_limit is not None:
            self._time_limit.cancel()
        self._unsent.clear()
        self._unsent_size = 0
        self._loop.call_soon(self._end, error)

    def _end(self, error: Exception | None) -> None:
        # The transport and the protocol refer to each other.
        protocol, self._protocol = self._protocol, asyncio.Protocol()
        protocol.connection_lost(error)
        self._socket.close()
