"""Answers: stored bytes where they are what the client wants, converted documents where not."""

from collections.abc import Iterable, Sequence

import orjson
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.json_text import to_json
from memkube.apimachinery.model import Document
from memkube.endpoints.errors import retry_after, status_of
from memkube.endpoints.media_types import JSON, YAML
from memkube.endpoints.negotiation import PLAIN, Representation, negotiate_refusal
from memkube.endpoints.requests import ApiRequest
from memkube.endpoints.warning_headers import warning_headers
from memkube.endpoints.yaml_text import to_yaml
from memkube.registry.turns import Turns

_BYTES_AT_ONCE = 256 * 1024
_NO_SNIFFING = (b"x-content-type-options", b"nosniff")
_JSON_HEADER = (b"content-type", JSON.encode())


class BytesResponse(Response):
    """A body of bytes that are ready to be sent."""

    def __init__(self, body: bytes, code: int = 200, content_type: str = JSON, warnings: Sequence[str] = ()) -> None:
        self.status_code = code
        self.background = None
        self.body = body
        media = _JSON_HEADER if content_type is JSON else (b"content-type", content_type.encode())
        self.raw_headers = _headers(len(body), media, warnings)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See Response."""
        prefix = "websocket." if scope["type"] == "websocket" else ""
        headers = self.raw_headers
        await send({"type": f"{prefix}http.response.start", "status": self.status_code, "headers": headers})
        await send({"type": f"{prefix}http.response.body", "body": self.body})


class JoinedResponse:
    """A body of JSON in pieces with a separator between them.

    A long one is joined and sent a part at a time, so that the copies stay in the processor's cache, and a client that
    reads slowly costs no second copy of it.
    """

    def __init__(self, separator: bytes, pieces: Sequence[bytes], warnings: Sequence[str] = ()) -> None:
        self._separator = separator
        self._pieces = pieces
        self._size = sum(map(len, pieces)) + len(separator) * (len(pieces) - 1)
        self._headers = _headers(self._size, _JSON_HEADER, warnings)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """An ASGI application that answers once; an upgrade that nobody wants here is answered too."""
        prefix = "websocket." if scope["type"] == "websocket" else ""
        await send({"type": f"{prefix}http.response.start", "status": 200, "headers": self._headers})
        pieces, count = self._pieces, len(self._pieces)
        step = count if self._size <= _BYTES_AT_ONCE else max(count * _BYTES_AT_ONCE // self._size, 1)
        turns = Turns()
        for first in range(0, count, step):
            await turns.give()
            last = first + step >= count
            part = pieces if step == count else pieces[first : first + step]
            body = self._separator.join(part) if last else self._separator.join((*part, b""))
            await send({"type": f"{prefix}http.response.body", "body": body, "more_body": not last})


def document_response(
    document: Document, representation: Representation = PLAIN, code: int = 200, warnings: Sequence[str] = ()
) -> BytesResponse:
    """A document in the representation's media type."""
    return BytesResponse(encode(document, representation), code, representation.media_type, warnings)


def _headers(size: int, media: tuple[bytes, bytes], warnings: Sequence[str]) -> list[tuple[bytes, bytes]]:
    headers = [(b"content-length", b"%d" % size), media]
    if warnings:
        headers += [(b"warning", header.encode()) for header in warning_headers(warnings)]
    return headers


def encode(document: Document, representation: Representation) -> bytes:
    """A document in the representation's media type; compact JSON ends its line, JSON for people does not."""
    if representation.media_type == YAML:
        return to_yaml(document)
    return to_json(document, indented=True) if representation.pretty else to_json(document) + b"\n"


def relaid(written: bytes, representation: Representation) -> bytes:
    """Compact JSON in the representation's media type and layout."""
    return written if representation.is_compact_json else encode(orjson.loads(written), representation)


def refused(request: ApiRequest, error: ApiError, warnings: Iterable[str] = ()) -> BytesResponse:
    """The Status of a refusal, in what the client understands."""
    shown = negotiate_refusal(request.accept).laid_out(request.pretty)
    response = document_response(status_of(error), shown, error.code, tuple(warnings))
    if wait := retry_after(error):
        response.raw_headers.append((b"retry-after", wait.encode()))
    return response


def text_response(text: str, code: int = 200, content_type: str = "text/plain; charset=utf-8") -> BytesResponse:
    """A body of text, which is not to be taken for anything else (http.Error)."""
    response = BytesResponse(text.encode(), code, content_type)
    response.raw_headers.append(_NO_SNIFFING)
    return response
