"""Answers: stored bytes where they are what the client wants, converted documents where not."""

from collections.abc import Iterable, Sequence

import orjson
from starlette.responses import Response

from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.model import Document
from memkube.endpoints.errors import retry_after, status_of
from memkube.endpoints.media_types import JSON, YAML
from memkube.endpoints.negotiation import PLAIN, Representation
from memkube.endpoints.warning_headers import warning_headers
from memkube.endpoints.yaml_text import to_yaml

_JSON_HEADER = (b"content-type", JSON.encode())


class BytesResponse(Response):
    """A body of bytes that are ready to be sent."""

    def __init__(self, body: bytes, code: int = 200, content_type: str = JSON, warnings: Sequence[str] = ()) -> None:
        self.status_code = code
        self.background = None
        self.body = body
        media = _JSON_HEADER if content_type is JSON else (b"content-type", content_type.encode())
        self.raw_headers = [(b"content-length", str(len(body)).encode()), media]
        if warnings:
            self.raw_headers += [(b"warning", header.encode()) for header in warning_headers(warnings)]


def document_response(
    document: Document, representation: Representation = PLAIN, code: int = 200, warnings: Sequence[str] = ()
) -> BytesResponse:
    """A document in the representation's media type."""
    return BytesResponse(encode(document, representation), code, representation.media_type, warnings)


def encode(document: Document, representation: Representation) -> bytes:
    """A document in the representation's media type."""
    if representation.media_type == YAML:
        return to_yaml(document)
    if representation.pretty:
        return orjson.dumps(document, option=orjson.OPT_INDENT_2) + b"\n"
    return orjson.dumps(document)


def refusal(error: ApiError, representation: Representation = PLAIN, warnings: Iterable[str] = ()) -> BytesResponse:
    """The Status of a refusal."""
    media_type = YAML if representation.media_type == YAML else JSON
    shown = Representation(media_type, pretty=representation.pretty)
    response = document_response(status_of(error), shown, error.code, tuple(warnings))
    if wait := retry_after(error):
        response.raw_headers.append((b"retry-after", wait.encode()))
    return response


def text_response(text: str, code: int = 200, content_type: str = "text/plain; charset=utf-8") -> BytesResponse:
    """A body of text."""
    return BytesResponse(text.encode(), code, content_type)
