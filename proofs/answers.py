"""Sends raw bytes to a server and checks the responses."""

import asyncio
from dataclasses import dataclass, field
from typing import Any, Final

import httptools
import orjson
from benchmarks.load import Address

PATIENCE: Final = 30.0
"""Seconds to wait for a response before the server counts as hanging."""
_STREAM_SECONDS: Final = 0.3
"""Seconds to read from a watch, a followed log or an upgraded connection."""
_OK: Final = 200
_ERROR: Final = 400
_INTERNAL: Final = 500
_SWITCHING: Final = 101
_EXPLAINED: Final = (
    "failed calling webhook",
    "request is too large",
    "strconv.ParseUint: parsing",
    "target.name: Required value",
    "target.kind: Unsupported value",
)
"""Texts of the 500 responses that the reference gives as well, for example for an invalid resourceVersion or
Binding."""
_JSON: Final = "application/json"
_OF_API: Final = ("/api/", "/apis/")


@dataclass(slots=True)
class Answer:
    """The response to one request."""

    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""
    complete: bool = False

    @property
    def streams(self) -> bool:
        """True if the length of the response is unknown.

        To HTTP/1.0 a watch is sent without chunks, until the connection closes.
        """
        return self.status >= _OK and "content-length" not in self.headers


class _Asked:
    """The request that the server's own parser, httptools, finds in the bytes."""

    def __init__(self, data: bytes) -> None:
        self.method = self.path = ""
        self.complete = False
        self._parser = httptools.HttpRequestParser(self)
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserUpgrade:
            self.complete = True
        except httptools.HttpParserError:
            self.complete = False

    def on_headers_complete(self) -> None:
        # The body may never arrive, and many responses do not wait for it.
        self.method = self._parser.get_method().decode()

    def on_url(self, url: bytes) -> None:
        self.path = url.decode(errors="replace").partition("?")[0]

    def on_message_complete(self) -> None:
        self.complete = True


class _Receiver:
    def __init__(self) -> None:
        self.answer = Answer()
        self.parser = httptools.HttpResponseParser(self)

    def on_header(self, name: bytes, value: bytes) -> None:
        self.answer.headers[name.decode().lower()] = value.decode(errors="replace")

    def on_headers_complete(self) -> None:
        self.answer.status = self.parser.get_status_code()

    def on_body(self, body: bytes) -> None:
        self.answer.body += body

    def on_message_complete(self) -> None:
        # A 1xx response precedes the final one, except for 101.
        self.answer.complete = self.answer.status >= _OK or self.answer.status == _SWITCHING


async def complaint(address: Address, data: bytes) -> str:
    """Send bytes to a server; return what is wrong with the response, or "" if it is correct."""
    asked = _Asked(data)
    reader, writer = await asyncio.open_connection(address.host, address.port)
    try:
        writer.write(data)
        if not asked.complete and writer.can_write_eof():
            # The request is incomplete. At the end of input, the server has to stop waiting for the rest.
            writer.write_eof()
        async with asyncio.timeout(PATIENCE):
            answer = await _answer(reader, asked)
    except TimeoutError:
        return "it hangs"
    except (ConnectionError, httptools.HttpParserError) as error:
        return f"{type(error).__name__}: {error}" if asked.complete else ""
    finally:
        writer.transport.abort()
    if asked.complete and not answer.status:
        return "there is no answer"
    return judged(asked.method, asked.path, answer)


async def _answer(reader: asyncio.StreamReader, asked: _Asked) -> Answer:
    receiver = _Receiver()
    try:
        async with asyncio.timeout(PATIENCE) as timeout:
            while not receiver.answer.complete:
                received = await reader.read(1 << 16)
                if not received:
                    break
                if asked.method == "HEAD" and b"\r\n\r\n" in received:
                    # A response to HEAD has no body, whatever its headers say; the parser cannot know the method.
                    received, receiver.answer.complete = received.partition(b"\r\n\r\n")[0] + b"\r\n\r\n", True
                receiver.parser.feed_data(received)
                if receiver.answer.streams:
                    timeout.reschedule(asyncio.get_running_loop().time() + _STREAM_SECONDS)
    except httptools.HttpParserUpgrade:
        receiver.answer.complete = True
    except TimeoutError:
        if not receiver.answer.streams:
            raise
    return receiver.answer


def judged(method: str, path: str, answer: Answer) -> str:
    """Return what is wrong with a response, or "" if it is a Status, an object, or what its path may serve."""
    if answer.status >= _INTERNAL and answer.status not in (501, 503, 504, 505):
        text = answer.body.decode(errors="replace")
        return "" if any(words in text for words in _EXPLAINED) else f"{answer.status}: {text[:300]}"
    if method == "HEAD" or not path.startswith(_OF_API) or answer.status in (0, 101, 304, 400, 431, 505):
        return ""
    kind = answer.headers.get("content-type", "").partition(";")[0]
    if kind != _JSON or not answer.complete or "chunked" in answer.headers.get("transfer-encoding", ""):
        return "" if kind or not answer.body else f"{answer.status} without a media type"
    try:
        body: Any = orjson.loads(answer.body)
    except ValueError:
        return f"{answer.status} and a body that is not JSON: {answer.body[:200]!r}"
    if not isinstance(body, dict) or not body.get("kind"):
        return f"{answer.status} and a body that is not an object: {answer.body[:200]!r}"
    if answer.status >= _ERROR and (body["kind"] != "Status" or body.get("code") != answer.status):
        return f"{answer.status} and a body that is not its Status: {answer.body[:200]!r}"
    return ""
