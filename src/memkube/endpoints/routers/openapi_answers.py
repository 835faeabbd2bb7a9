"""Responses to requests for OpenAPI documents, including those of extension API servers."""

from datetime import UTC, datetime, timedelta
from email.utils import formatdate
from functools import partial
from typing import Final

from starlette.types import ASGIApp

from memkube.endpoints.aggregation.openapi import AggregatedDocuments
from memkube.endpoints.aggregation.proxy import Proxy
from memkube.endpoints.openapi.documents import Documents, Published
from memkube.endpoints.requests.api_request import ApiRequest
from memkube.endpoints.requests.negotiation import JSON, parse_accept
from memkube.endpoints.responses.responses import BytesResponse
from memkube.registry.declarations.catalog import Catalog

V2_PROTOBUF = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"
_V2_PROTOBUF_ASKED = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf"
"""Media type of the protobuf document in Accept headers of clients.

Because of its ``@``, it is not valid in the Content-Type of the response.
"""
_SNIFFED: Final = "text/plain; charset=utf-8"
_A_YEAR: Final = timedelta(days=365)


class OpenApiAnswers:
    """Answers requests for the OpenAPI documents of one server, in the format that the client accepts."""

    def __init__(self, catalog: Catalog, proxy: Proxy) -> None:
        self._documents = Documents(catalog)
        self._all = AggregatedDocuments(catalog, self._documents)
        self._proxy = proxy

    async def v2(self, request: ApiRequest) -> ASGIApp:
        """Return the response to ``/openapi/v2``, as JSON or protobuf."""
        for clause in parse_accept(request.accept or "*/*"):
            if clause.admits(JSON):
                return _varying(_conditional(request, await self._all.v2(), JSON))
            if clause.type in (V2_PROTOBUF, _V2_PROTOBUF_ASKED):
                return _varying(_conditional(request, await self._all.v2_protobuf(), V2_PROTOBUF))
        return _varying(_nothing(406))

    async def v3_index(self, request: ApiRequest) -> ASGIApp:
        """Return the response to ``/openapi/v3``: the index of the OpenAPI v3 documents.

        Its headers are those of kube-aggregator, which calls ServeContent of Go's net/http. There is no ETag, the time
        of the last modification is now, and the media type is the one that Go infers from the first bytes of the body.
        """
        response = BytesResponse((await self._all.v3_index()).text, 200, _SNIFFED)
        response.raw_headers.append((b"last-modified", formatdate(usegmt=True).encode()))
        return response

    async def v3(self, request: ApiRequest) -> ASGIApp:
        """Return the response to a request for the OpenAPI v3 document at a path below ``/openapi/v3/``.

        It is a redirect if the query parameter ``hash`` is not the document's digest. The request is proxied if an
        extension API server serves the document.
        """
        name = request.path.removeprefix("/openapi/")
        document = await self._documents.v3(name.removeprefix("v3/"))
        if document is None:
            owner = self._all.owner(name.removeprefix("v3/"))
            return _nothing(404) if owner is None else partial(self._proxy, owner)
        if not any(clause.admits(JSON) for clause in parse_accept(request.accept or "*/*")):
            return _varying(_nothing(406))
        asked = request.parameter("hash")
        if asked and asked != document.digest:
            response = _nothing(301)
            response.raw_headers.append((b"location", f"/openapi/{name}?hash={document.digest}".encode()))
            return _varying(response)
        response = _conditional(request, document, JSON)
        if asked:
            expires = (datetime.now(UTC) + _A_YEAR).strftime("%a, %d %b %Y %H:%M:%S UTC")
            response.raw_headers += [(b"cache-control", b"public, immutable"), (b"expires", expires.encode())]
        return _varying(response)


def _nothing(code: int) -> BytesResponse:
    """Return a response without a body, as kube-apiserver's OpenAPI handlers return for errors."""
    response = BytesResponse(b"", code)
    response.raw_headers = [(b"content-length", b"0")]
    return response


def _varying(response: BytesResponse) -> BytesResponse:
    response.raw_headers.append((b"vary", b"Accept"))
    return response


def _conditional(request: ApiRequest, document: Published, media_type: str) -> BytesResponse:
    """Return the response with a document; 304 if the client already has this version (net/http's ServeContent)."""
    etag = f'"{document.digest}"'
    if request.header(b"if-none-match") == etag:
        response = BytesResponse(b"", 304, media_type)
        response.raw_headers = []
    else:
        response = BytesResponse(document.text, 200, media_type)
    response.raw_headers += [(b"etag", etag.encode()), (b"last-modified", document.modified.encode())]
    return response
