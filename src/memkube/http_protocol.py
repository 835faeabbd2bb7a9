"""HTTP/1.1 as the reference's server speaks it, where the parser would be stricter."""

import re
import sys
import urllib.parse
from http import HTTPStatus
from typing import Final

import httptools
import orjson
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from memkube.apimachinery.errors import bad_request
from memkube.endpoints.errors import generic_refusal, status_of
from memkube.endpoints.streams.handshake import SPDY
from memkube.http_upgrade import UpgradeProtocol

_REQUEST_LINE: Final = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+ /\S* HTTP/1\.[01]\r\n")


class HttpProtocol(HttpToolsProtocol):
    """Answers methods that the parser does not know with a Status 405: any token is a method (RFC 9110, 9.1).

    Requests that ask for SPDY/3.1 are served by an UpgradeProtocol.
    """

    _data: bytes = b""

    def data_received(self, data: bytes) -> None:
        """Keeps what is parsed, for the case that it cannot be."""
        self._data = data
        super().data_received(data)

    def _asks_for_spdy(self) -> bool:
        if self._get_upgrade() != SPDY.lower().encode():
            return False
        return not any(
            name == b"transfer-encoding" or (name == b"content-length" and value != b"0")
            for name, value in self.headers
        )

    def _should_upgrade(self) -> bool:
        return self._asks_for_spdy() or super()._should_upgrade()

    def handle_websocket_upgrade(self) -> None:
        """Leaves the connection to the protocol that the client asks for."""
        if not self._asks_for_spdy():
            super().handle_websocket_upgrade()
            return
        address = httptools.parse_url(self.url)
        self.scope["path"] = self.root_path + urllib.parse.unquote(address.path.decode("ascii"))
        self.scope["raw_path"] = self.root_path.encode("ascii") + address.path
        self.scope["query_string"] = address.query or b""
        self.connections.discard(self)
        UpgradeProtocol(self.app, dict(self.scope), self.transport, self.server_state).start()

    def send_400_response(self, msg: str) -> None:
        """405 for a well-formed request with an unknown method, 400 with the parser's words for anything else."""
        problem = sys.exception()
        if isinstance(problem, httptools.HttpParserInvalidMethodError) and _REQUEST_LINE.match(self._data):
            refusal = generic_refusal(405)
        else:
            refusal = bad_request(f"the request is not HTTP/1.1: {problem or msg}")
        body = orjson.dumps(status_of(refusal))
        head = (
            f"HTTP/1.1 {refusal.code} {HTTPStatus(refusal.code).phrase}\r\ncontent-type: application/json\r\n"
            f"content-length: {len(body)}\r\nconnection: close\r\n\r\n"
        )
        self.transport.write(head.encode() + body)
        self.transport.close()
