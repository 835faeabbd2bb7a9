"""HTTP responses: stored bytes if the client accepts them, otherwise documents in a format that it accepts."""

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import orjson
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from memkube.apimachinery.errors import ApiError, Details, timeout
from memkube.apimachinery.go_strings import go_bytes
from memkube.apimachinery.json_text import to_json
from memkube.apimachinery.meta.v1.api_object import ListMeta
from memkube.apimachinery.meta.v1.status import Status, StatusCause, StatusDetails
from memkube.apimachinery.model import Document
from memkube.endpoints.requests.api_request import ApiRequest, audit_trail
from memkube.endpoints.requests.negotiation import FOR_PEOPLE, JSON, PLAIN, YAML, Representation, negotiate_refusal
from memkube.endpoints.responses.messages import general_message
from memkube.endpoints.transport import WHOLE
from memkube.time.turns import Turns

_BYTES_AT_ONCE = 256 * 1024
_NO_SNIFFING = (b"x-content-type-options", b"nosniff")
_JSON_HEADER = (b"content-type", JSON.encode())
_GENERIC = {
    404: ("NotFound", "the server could not find the requested resource"),
    405: ("MethodNotAllowed", "the server does not allow this method on the requested resource"),
    415: ("UnsupportedMediaType", "415: Unsupported Media Type"),
}
PLAIN_TEXT: Final = "text/plain; charset=utf-8"
NOT_FOUND_TEXT: Final = "404 page not found\n"
"""Body of a 404 response for a path that contains no group and version."""
_UNPRINTABLE: Final = frozenset({"Cc", "Cs"})
"""Unicode categories of characters that headers cannot contain: control characters and surrogates (invalid bytes)."""
MOST_CHARACTERS = 4096
MOST_CHARACTERS_EACH = 256
"""Maximum length of each Warning header in characters, if all of them together are longer than MOST_CHARACTERS."""


class BytesResponse(Response):
    """A response whose whole body is known in advance."""

    def __init__(self, body: bytes, code: int = 200, content_type: str = JSON, warnings: Sequence[str] = ()) -> None:
        self.status_code = code
        self.background = None
        self.body = body
        self.size = len(body)
        self.raw_headers = _headers(self.size, content_type, warnings)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the response: in one ASGI message, if the server's transport supports this."""
        headers = self.raw_headers
        if WHOLE in scope.get("extensions", ()):
            await send({"type": WHOLE, "status": self.status_code, "headers": headers, "pieces": (self.body,)})
            return
        prefix = "websocket." if scope["type"] == "websocket" else ""
        await send({"type": f"{prefix}http.response.start", "status": self.status_code, "headers": headers})
        await send({"type": f"{prefix}http.response.body", "body": self.body})


class JoinedResponse:
    """A response whose body is many byte strings, joined by a separator (empty for protobuf).

    A long body is joined and sent in parts. This has two advantages: the joined parts stay in the processor's cache,
    and the server never holds a second copy of the whole body for a client that reads slowly.
    """

    status_code: Final = 200

    def __init__(
        self, separator: bytes, pieces: Sequence[bytes], warnings: Sequence[str] = (), content_type: str = JSON
    ) -> None:
        self._separator = separator
        self._pieces = pieces
        self.size = sum(map(len, pieces)) + len(separator) * (len(pieces) - 1)
        self._headers = _headers(self.size, content_type, warnings)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the response. If the request is a WebSocket handshake, the handshake is rejected."""
        if self.size <= _BYTES_AT_ONCE and WHOLE in scope.get("extensions", ()):
            pieces = (self._separator.join(self._pieces),) if self._separator else self._pieces
            await send({"type": WHOLE, "status": 200, "headers": self._headers, "pieces": pieces})
            return
        prefix = "websocket." if scope["type"] == "websocket" else ""
        await send({"type": f"{prefix}http.response.start", "status": 200, "headers": self._headers})
        pieces, count = self._pieces, len(self._pieces)
        if self.size <= _BYTES_AT_ONCE:
            await send({"type": f"{prefix}http.response.body", "body": self._separator.join(pieces)})
            return
        step, turns = max(count * _BYTES_AT_ONCE // self.size, 1), Turns()
        for first in range(0, count, step):
            await turns.give()
            last = first + step >= count
            part = pieces if step == count else pieces[first : first + step]
            # If the list has only one byte string, join() returns it without a copy.
            body = self._separator.join(part if last or not self._separator else (*part, b""))
            await send({"type": f"{prefix}http.response.body", "body": body, "more_body": not last})


def document_response(
    document: Document, representation: Representation = PLAIN, code: int = 200, warnings: Sequence[str] = ()
) -> BytesResponse:
    """Return a response that contains a document, such as an APIGroup or a Status.

    `representation` is the media type and layout that the client accepts, and `code` the HTTP status. `warnings` are
    the texts of Warning headers.
    """
    return BytesResponse(encode(document, representation), code, representation.media_type, warnings)


def _headers(size: int, content_type: str, warnings: Sequence[str]) -> list[tuple[bytes, bytes]]:
    media = _JSON_HEADER if content_type is JSON else (b"content-type", content_type.encode())
    headers = [(b"content-length", b"%d" % size), media]
    if warnings:
        headers += [(b"warning", header.encode()) for header in warning_headers(warnings)]
    return headers


def encode(document: Document, representation: Representation) -> bytes:
    """Encode a document in the media type of the representation.

    Compact JSON ends with a line break; indented JSON does not. Only a Status and discovery documents can be encoded as
    protobuf.
    """
    if representation.media_type == YAML:
        # Few clients request YAML, so `yaml_text` is imported for the first such request.
        from memkube.endpoints.responses.yaml_text import to_yaml  # noqa: PLC0415

        return to_yaml(document)
    if representation.is_protobuf:
        return general_message(document)
    return to_json(document, indented=True) if representation.pretty else to_json(document) + b"\n"


def relaid(written: bytes, representation: Representation) -> bytes:
    """Convert `written`, an object's compact JSON, to a representation such as YAML or indented JSON."""
    return written if representation.is_compact_json else encode(orjson.loads(written), representation)


class AllottedTimePassed(ApiError):
    """The 504 error of a request that took longer than its client or the server allows.

    kube-apiserver's timeout filter sends its Status without kind and apiVersion. It sets no content type, and Go's HTTP
    server then detects plain text.
    """

    def __init__(self) -> None:
        error = timeout("request did not complete within the allotted timeout", 0)
        super().__init__(error.code, error.reason, error.message, error.details)


def refused(request: ApiRequest, error: ApiError, warnings: Iterable[str] = ()) -> BytesResponse:
    """Return the response for an error: a Status in a representation that the client accepts.

    `warnings` are the texts of Warning headers. The Status is recorded for the audit log.
    """
    status, trail = status_of(error), audit_trail(request.scope)
    if isinstance(error, AllottedTimePassed):
        if trail is not None:
            trail.response_object(status)
        untyped = {name: value for name, value in status.items() if name not in ("kind", "apiVersion")}
        return BytesResponse(to_json(untyped) + b"\n", error.code, PLAIN_TEXT)
    shown = negotiate_refusal(request.accept).laid_out(request.pretty)
    if trail is not None:
        if shown is FOR_PEOPLE:
            trail.omit_response_object()
        else:
            trail.response_object(status)
    response = document_response(status, shown, error.code, tuple(warnings))
    if wait := retry_after(error):
        response.raw_headers.append((b"retry-after", wait.encode()))
    return response


def refused_access(request: ApiRequest, error: ApiError) -> BytesResponse:
    """Return the response for an error of authorization or impersonation, with one header more than `refused`.

    The header tells browsers not to guess the content type. This is necessary because the error message contains text
    that the client sent (``responsewriters.RespondWithError``).
    """
    response = refused(request, error)
    response.raw_headers.append(_NO_SNIFFING)
    return response


def note_document(request: ApiRequest, document: Document, representation: Representation) -> None:
    """If the request is audited and the response is not JSON, record the response's document in the audit event.

    If the response is JSON, the audit event gets the document from the response's body instead.
    """
    trail = audit_trail(request.scope)
    if trail is not None and representation.media_type is not JSON:
        trail.response_object(document)


def text_response(text: str, code: int = 200, content_type: str = PLAIN_TEXT) -> BytesResponse:
    """Return a response with text, and a header that stops browsers from guessing its type (Go's http.Error)."""
    response = BytesResponse(go_bytes(text), code, content_type)
    response.raw_headers.append(_NO_SNIFFING)
    return response


def generic_refusal(code: int) -> ApiError:
    """Return kube-apiserver's error for a request whose path names no known resource; `code` is the HTTP status."""
    reason, message = _GENERIC[code]
    return ApiError(code, reason, message, Details())


def status_of(error: ApiError) -> Document:
    """Convert an error to a Status, the body of its response."""
    if error.status is not None:
        return error.status
    details = error.details
    status = Status(
        kind="Status",
        apiVersion="v1",
        metadata=ListMeta.from_document({"continue": error.continue_token} if error.continue_token else {}),
        status="Failure",
        message=error.message,
        reason=error.reason,
        code=error.code,
        details=None if details is None else _status_details(details),
    )
    return status.to_document()


def success(details: Details) -> Document:
    """Return the Status for a request that succeeded and returns no object; `details` say which object it is about."""
    return Status(kind="Status", apiVersion="v1", status="Success", details=_status_details(details)).to_document()


def retry_after(error: ApiError) -> str:
    """Return the value of the Retry-After header for an error; "" if the response has no such header."""
    seconds = error.details.retry_after_seconds if error.details else 0
    return str(seconds) if seconds else ""


def _status_details(details: Details) -> StatusDetails:
    return StatusDetails(
        name=details.name,
        group=details.group,
        kind=details.kind,
        uid=details.uid,
        causes=[StatusCause(reason=c.reason, message=c.message, field=c.field) for c in details.causes],
        retryAfterSeconds=details.retry_after_seconds,
    )


def warning_headers(texts: Iterable[str]) -> list[str]:
    """Return the values of the HTTP header ``Warning`` with which the warnings `texts` are sent to the client.

    Empty, repeated and unprintable texts are left out. If the texts are too long in total, each is shortened.
    """
    once = [text for text in dict.fromkeys(texts) if text]
    if sum(map(len, filter(_is_printable, once))) > MOST_CHARACTERS:
        once = list(_shortened(once))
    return [_warning_header(text) for text in once if _is_printable(text)]


def _shortened(texts: Iterable[str]) -> Iterator[str]:
    """Yield the texts of warnings, each shortened to MOST_CHARACTERS_EACH.

    Stops when both the full and the shortened texts so far exceed MOST_CHARACTERS.
    """
    written, replayed = 0, 0
    for text in texts:
        replayed += len(text)
        short = text[:MOST_CHARACTERS_EACH]
        if written >= MOST_CHARACTERS and replayed - len(text) > MOST_CHARACTERS:
            return
        written += len(short)
        yield short


def _is_printable(text: str) -> bool:
    return not any(unicodedata.category(character) in _UNPRINTABLE for character in text)


def _warning_header(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'299 - "{escaped}"'
