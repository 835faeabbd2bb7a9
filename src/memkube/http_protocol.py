"""HTTP/1.1 as the reference's server speaks it, where the parser would be stricter."""

import re
from typing import Final

import orjson
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from memkube.endpoints.errors import generic_refusal, status_of

_REQUEST_LINE: Final = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+ /\S* HTTP/1\.[01]\r\n")


class HttpProtocol(HttpToolsProtocol):
    """Answers methods that the parser does not know with a Status 405: any token is a method (RFC 9110, 9.1)."""

    _data: bytes = b""

    def data_received(self, data: bytes) -> None:
        """Keeps what is parsed, for the case that it cannot be."""
        self._data = data
        super().data_received(data)

    def send_400_response(self, msg: str) -> None:
        """405 for a well-formed request with an unknown method, 400 for anything else."""
        if not _REQUEST_LINE.match(self._data):
            super().send_400_response(msg)
            return
        body = orjson.dumps(status_of(generic_refusal(405)))
        head = (
            "HTTP/1.1 405 Method Not Allowed\r\ncontent-type: application/json\r\n"
            f"content-length: {len(body)}\r\nconnection: close\r\n\r\n"
        )
        self.transport.write(head.encode() + body)
        self.transport.close()
