"""``/openapi/v2``, ``/openapi/v3`` and the page that shows them."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import formatdate
from typing import Final, TypeVar

import orjson
from starlette.types import ASGIApp, Receive, Send
from starlette.types import Scope as AsgiScope

from memkube.apimachinery.schema import StructSchema, struct_of
from memkube.endpoints.docs_page import docs_page
from memkube.endpoints.media_types import JSON, parse_accept
from memkube.endpoints.openapi import (
    ResourceDescription,
    SubresourceDescription,
    content_hash,
    v2_document,
    v2_protobuf,
    v3_documents,
    v3_index,
)
from memkube.endpoints.requests import ApiRequest
from memkube.endpoints.responses import BytesResponse, text_response
from memkube.registry.catalog import Catalog
from memkube.registry.resource import ConnectSubresource, CreateSubresource, Resource, Subresource, ViewSubresource

V2_PROTOBUF = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"
_V2_PROTOBUF_ASKED = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf"
"""What clients ask for, although no media type may hold an ``@``: they would not understand it in an answer."""
_A_YEAR: Final = timedelta(days=365)
Made = TypeVar("Made")


@dataclass(frozen=True, slots=True)
class Published:
    """A document as clients get it."""

    text: bytes
    digest: str
    modified: str
    """When it was made, as HTTP writes times."""


class Documents:
    """The OpenAPI documents of a catalog, made when first asked for and again when the catalog changes."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._generation = -1
        self._made: dict[str, object] = {}

    def v3(self) -> dict[str, bytes]:
        """The v3 documents as JSON, by their path without ``/openapi/v3/``."""
        return self._once("v3", lambda: v3_documents(self._described()))

    def v2(self) -> bytes:
        """The v2 document as JSON."""
        return self._once("v2", lambda: orjson.dumps(v2_document(self._described())))

    def v2_protobuf(self) -> bytes:
        """The v2 document as protobuf (gnostic's ``openapi.v2.Document``)."""
        return self._once("v2-protobuf", lambda: v2_protobuf(v2_document(self._described())))

    def published(self, name: str) -> "Published | None":
        """The document behind an address below ``/openapi/``; None where there is none."""
        if name == "v2":
            text = self.v2()
        elif name == "v2-protobuf":
            text = self.v2_protobuf()
        elif name == "v3":
            text = self._once("v3-index", lambda: orjson.dumps(v3_index(self.v3())))
        else:
            found = self.v3().get(name.removeprefix("v3/"))
            if found is None:
                return None
            text = found
        return self._once(f"published {name}", lambda: Published(text, content_hash(text), formatdate(usegmt=True)))

    def _described(self) -> list[ResourceDescription]:
        return [describe(resource) for resource in self._catalog]

    def _once(self, name: str, make: Callable[[], Made]) -> Made:
        if self._generation != self._catalog.generation:
            self._made.clear()
            self._generation = self._catalog.generation
        if name not in self._made:
            self._made[name] = make()
        made: Made = self._made[name]  # type: ignore[assignment]  # each name has one maker
        return made


def indented(text: bytes) -> bytes:
    """A document laid out for people, one line a member, so that changes can be read."""
    return orjson.dumps(orjson.loads(text), option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


class OpenApi:
    """Answers the addresses of the documents, and shows them at ``/docs``."""

    def __init__(self, catalog: Catalog) -> None:
        self._documents = Documents(catalog)

    async def __call__(self, scope: AsgiScope, receive: Receive, send: Send) -> None:
        """Answers one request, whatever its method."""
        request = ApiRequest(scope, receive)
        await self._answer(request, request.path)(scope, receive, send)

    def _answer(self, request: ApiRequest, path: str) -> ASGIApp:
        if path == "/docs":
            return docs_page("/openapi/v2", "memkube")
        name = path.removeprefix("/openapi/")
        if name == "v2":
            return self._v2(request)
        if name == "v3":
            return _conditional(request, self._documents.published(name), JSON)
        if not name.startswith("v3/"):
            return text_response("404 page not found\n", 404)
        return self._v3(request, name)

    def _v2(self, request: ApiRequest) -> ASGIApp:
        for clause in parse_accept(request.accept or "*/*"):
            if clause.admits(JSON):
                return _varying(_conditional(request, self._documents.published("v2"), JSON))
            if clause.type in (V2_PROTOBUF, _V2_PROTOBUF_ASKED):
                return _varying(_conditional(request, self._documents.published("v2-protobuf"), V2_PROTOBUF))
        return _varying(_nothing(406))

    def _v3(self, request: ApiRequest, name: str) -> ASGIApp:
        document = self._documents.published(name)
        if document is None:
            return _varying(_nothing(404))
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
    """An answer that says no more than its code and its headers, as the reference's OpenAPI handlers do."""
    response = BytesResponse(b"", code)
    response.raw_headers = [(b"content-length", b"0")]
    return response


def _varying(response: BytesResponse) -> BytesResponse:
    response.raw_headers.append((b"vary", b"Accept"))
    return response


def _conditional(request: ApiRequest, document: Published | None, media_type: str) -> BytesResponse:
    """A document, unless the client has it already (net/http's ServeContent)."""
    assert document is not None, "these are always there"
    etag = f'"{document.digest}"'
    if request.header(b"if-none-match") == etag:
        response = BytesResponse(b"", 304, media_type)
        response.raw_headers = []
    else:
        response = BytesResponse(document.text, 200, media_type)
    response.raw_headers += [(b"etag", etag.encode()), (b"last-modified", document.modified.encode())]
    return response


def describe(resource: Resource) -> ResourceDescription:
    """A resource as the OpenAPI documents describe it."""
    return ResourceDescription(
        group=resource.group,
        version=resource.version,
        kind=resource.kind,
        plural=resource.plural,
        namespaced=resource.namespaced,
        schema=resource.schema,
        verbs=resource.verbs,
        subresources=tuple(_describe_subresource(resource, s) for s in resource.subresources),
        # A namespace is answered too where it is not gone yet; the reference describes the other answer.
        delete_answers_object=resource.strategy.returns_deleted and not resource.holds_namespaces,
        strategic_merge=resource.structural is None,
    )


def _describe_subresource(resource: Resource, subresource: Subresource) -> SubresourceDescription:
    group, version, kind = resource.group, resource.version, resource.kind
    schema: StructSchema | None = resource.schema
    if isinstance(subresource, ConnectSubresource):
        connects = bool(subresource.options_kind)
        return SubresourceDescription(
            name=subresource.name,
            group=group,
            version=version,
            kind=subresource.options_kind or kind,
            schema=None,
            verbs=subresource.verbs,
            query=struct_of(subresource.options),
            connect_methods=tuple(method.lower() for method in subresource.methods) if connects else (),
            has_path=subresource.has_path,
        )
    if isinstance(subresource, ViewSubresource):
        shown = subresource.shown
        group, version, kind, schema = shown.group, shown.version, shown.kind, shown.schema
    elif isinstance(subresource, CreateSubresource):
        kind, schema = subresource.kind, struct_of(subresource.model)
        if subresource.version:
            group, version = subresource.group, subresource.version
    return SubresourceDescription(
        name=subresource.name, group=group, version=version, kind=kind, schema=schema, verbs=subresource.verbs
    )
