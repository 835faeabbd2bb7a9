"""Reads the body and options of a request for a resource, and creates its response, for filters and endpoints."""

from collections.abc import Awaitable, Callable
from functools import lru_cache
from typing import TypeAlias

from orjson import loads
from starlette.types import ASGIApp, Receive, Scope

from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.go_strings import go_string, replaced
from memkube.apimachinery.meta.v1.delete_options import DeleteOptions
from memkube.apimachinery.model import ApiModel, Document, restore_given
from memkube.apimachinery.protobuf import enveloped
from memkube.apimachinery.query import text
from memkube.apimachinery.schema import StructSchema
from memkube.endpoints.filters.seats import Seats
from memkube.endpoints.requests.api_request import Address, ApiRequest, audit_trail
from memkube.endpoints.requests.negotiation import JSON, PROTOBUF, Representation
from memkube.endpoints.responses.conversions import (
    TableWriter,
    list_metadata,
    list_parts,
    partial_metadata_parts,
    wrong_shape,
)
from memkube.endpoints.responses.encodings import Encodings, partial_metadata
from memkube.endpoints.responses.messages import ObjectMessages
from memkube.endpoints.responses.responses import (
    BytesResponse,
    JoinedResponse,
    document_response,
    note_document,
    relaid,
)
from memkube.registry.declarations.request_options import ListOptions, WriteContext
from memkube.registry.declarations.resource import Resource, Subresource
from memkube.registry.objects.stored import ObjectList, StoredObject
from memkube.registry.reads.collection import check_key_name
from memkube.registry.registry import Registry
from memkube.registry.store import Store
from memkube.telemetry.measures import Measures

_LONGEST_MANAGER = 128


class ResourceRequest(ApiRequest):
    """A request for a resource that the server serves (kube-apiserver's RequestScope).

    `address` and the attributes that follow it are set once the route has been found.
    """

    address: Address
    resource: Resource
    """The resource in the version that the URL names. Its objects may be stored in another version."""
    subresource: Subresource | None
    store: Store
    representation: Representation
    """Media type and kind of the response, negotiated with the client's Accept header."""
    encodings: Encodings
    """Cache of encoded objects, which all requests share."""
    deprecation: str = ""
    """Deprecation warning of the resource; empty if it is not deprecated, or if the request is not routed to it."""
    deadline: float | None = None
    """Time at which the request times out, as a value of ``time.monotonic``; None for watches and streams."""
    seats: Seats | None = None
    """The limit of concurrent requests that applies to the request; None if there is no limit."""

    def __init__(self, scope: Scope, receive: Receive, registry: Registry, measures: Measures) -> None:
        super().__init__(scope, receive)
        self.registry = registry
        self.measures = measures
        self.warnings: list[str] = []
        """Texts of the Warning headers of the response."""

    def reader(self, options: ListOptions) -> Store:
        """Return the store from which to read.

        If an injected fault makes the read stale, the store reads from an older revision.
        """
        resource = self.registry.catalog.find(self.address.group, self.address.version, self.address.resource)
        assert resource is not None
        return self.registry.as_read_by(self, resource, self.subresource, options)

    def check_name(self) -> None:
        """Raise ApiError 400 if the object's name in the URL cannot be part of a storage key."""
        check_key_name(self.address.name)

    def write_context(self, manager: str, dry_run: bool) -> WriteContext:
        """Return the context for a write, whose warnings are sent with the response.

        `manager` is the field manager. If it is empty, the field manager follows from the User-Agent header. With
        `dry_run`, nothing is stored.
        """
        context = WriteContext(
            namespace=self.address.namespace,
            manager=manager or _manager_of(self.user_agent),
            dry_run=dry_run,
            is_patch=self.method == "PATCH",
            user=self.user,
            warnings=self.warnings,
            deadline=self.deadline,
            name=self.address.name,
            options=self._options() if self.scope["query_string"] else {},
        )
        self.record.context = context
        trail = audit_trail(self.scope)
        if trail is not None:
            trail.follow(context)
        return context

    def note_patch(self, patch: bytes) -> None:
        """If the request is audited, record in its audit event the patch that the client sent."""
        trail = audit_trail(self.scope)
        if trail is not None:
            trail.request_patch(patch)

    def note_sent(self, obj: ApiModel) -> None:
        """If the request is audited, record in its audit event the object that the client sent."""
        trail = audit_trail(self.scope)
        if trail is None:
            return
        if trail.includes_request_object and isinstance(obj, self.resource.model):
            # kube-apiserver sets the defaults while it decodes an object, so its audit events contain them. Here, they
            # are set later, so they are added to a copy of the object.
            obj = obj.model_copy(deep=True)
            self.resource.strategy_of(self.subresource).default(obj)
        document = obj.to_document()
        restore_given(obj, document)
        if isinstance(obj, DeleteOptions):
            kind = {"kind": "DeleteOptions", "apiVersion": "meta.k8s.io/__internal"}
            document = kind | document | kind
        trail.request_object(document)

    async def body(self) -> bytes:
        """Read the whole body, and store the beginning of it in the request log.

        Raises the same errors as `ApiRequest.body`.
        """
        body = await super().body()
        if self.context is not None:
            self.context.step("body read")
        if body:
            self.record.keep_body(body, self.header(b"content-type"))
        return body

    def _options(self) -> Document:
        """Return the CreateOptions or UpdateOptions that the query of a write contains.

        The fields are in the order in which Kubernetes writes them.
        """
        query = self.query
        dry_run = {"dryRun": query["dryRun"]} if query.get("dryRun") else {}
        return dry_run | {name: said for name in ("fieldManager", "fieldValidation") if (said := text(query, name))}

    def object_response(self, stored: StoredObject, code: int = 200) -> BytesResponse:
        """Return the response with the object `stored`, in the form that the client accepts, such as a Table.

        Raises ApiError 406 (500 for a custom kind) if the client accepts only the metadata of a list, and 400 for an
        invalid ``includeObject`` parameter.
        """
        self.answered = stored.resource_version
        context = self.context
        if context is not None and context.steps:
            context.step("stored")
        representation = self.representation
        match representation.kind:
            case "":
                if not representation.is_plain_json:
                    note_document(self, stored.document, representation)
                    if representation.is_protobuf:
                        return self._message_response(self.messages.object(stored), code)
                    return document_response(stored.document, representation, code, self.warnings)
                written = b"%s\n" % stored.data
            case "PartialObjectMetadata" if representation.is_protobuf:
                metadata_only = partial_metadata(stored, representation.version, self.resource)
                note_document(self, loads(metadata_only), representation)
                return self._message_response(self.messages.metadata(stored, representation.version), code)
            case "PartialObjectMetadata":
                written = b"%s\n" % partial_metadata(stored, representation.version, self.resource)
            case "Table":
                metadata = {"resourceVersion": stored.resource_version} if stored.resource_version else {}
                written = self.table_writer().of_one(stored, metadata).text()
            case kind:
                raise self._wrong_shape(kind, is_list=False)
        if representation.media_type is not JSON:
            note_document(self, loads(written), representation)
        return BytesResponse(relaid(written, representation), code, representation.media_type, self.warnings)

    async def list_response(self, objects: ObjectList) -> BytesResponse | JoinedResponse:
        """Return the response with a list of `objects`, in the form that the client accepts, such as a Table.

        Raises ApiError 406 if the client accepts only the metadata of one object, and 400 for an invalid
        ``includeObject`` parameter.
        """
        self.answered = objects.revision
        if self.context is not None:
            self.context.step("listed")
        representation = self.representation
        await self._note_list(objects)
        match representation.kind:
            case "" if representation.media_type is PROTOBUF:
                pieces = await self.messages.object_list(objects.items, list_metadata(objects))
                return JoinedResponse(b"", pieces, self.warnings, representation.media_type)
            case "":
                shared = self.encodings.joined_rows if representation.is_compact_json else None
                parts = list_parts(self.resource, objects, shared)
            case "PartialObjectMetadataList" if representation.is_protobuf:
                version, metadata = representation.version, list_metadata(objects)
                pieces = await self.messages.metadata_list(objects.items, metadata, version)
                return JoinedResponse(b"", pieces, self.warnings, representation.media_type)
            case "PartialObjectMetadataList":
                parts = partial_metadata_parts(self.resource, objects, representation.version)
            case "Table":
                parts = await self.table_writer().parts(objects.items, list_metadata(objects))
            case kind:
                raise self._wrong_shape(kind, is_list=True)
        return await parts.response(representation, self.warnings)

    def _wrong_shape(self, kind: str, *, is_list: bool) -> ApiError:
        internal_name = self.registry.catalog.internal_name(self.resource.kind_name)
        return wrong_shape(kind, self.resource, internal_name, is_list=is_list)

    async def _note_list(self, objects: ObjectList) -> None:
        """If the audit policy asks for it, record in the audit event the list in a response that is not JSON."""
        trail, representation = audit_trail(self.scope), self.representation
        if trail is None or not trail.includes_response_object or representation.media_type is JSON:
            return
        match representation.kind:
            case "PartialObjectMetadataList":
                parts = partial_metadata_parts(self.resource, objects, representation.version)
            case "Table":
                parts = await self.table_writer().parts(objects.items, list_metadata(objects))
            case _:
                parts = list_parts(self.resource, objects, None)
        trail.response_object(loads(parts.text()))

    @property
    def messages(self) -> ObjectMessages:
        """Encoder of this resource's objects as protobuf."""
        return ObjectMessages(self.resource, self.registry.catalog.messages)

    def answer_response(self, document: Document, code: int, struct: StructSchema) -> BytesResponse:
        """Return the response to a POST that stores no object, such as the POST of an Eviction or a TokenReview.

        `document` is its body, a Status or an object of the type `struct`, and `code` its HTTP status code. As in
        kube-apiserver, a Status is not converted to the kind that the client asks for. Raises the errors of
        :meth:`object_response`.
        """
        if self.representation.kind and document["kind"] == struct.name:
            return self.object_response(StoredObject(document), code)
        representation = self.status_representation()
        if representation.is_protobuf and document["kind"] == struct.name:
            note_document(self, document, self.representation)
            message = self.registry.catalog.messages.encode(struct.package, struct.name, document)
            return self._message_response(enveloped(document["apiVersion"], struct.name, message), code)
        return self.status_response(document, code)

    def status_response(self, document: Document, code: int) -> BytesResponse:
        """Return a response with a Status, or with a review such as a TokenReview."""
        note_document(self, document, self.representation)
        return document_response(document, self.status_representation(), code, self.warnings)

    def _message_response(self, message: bytes, code: int) -> BytesResponse:
        return BytesResponse(message, code, PROTOBUF, self.warnings)

    def table_writer(self) -> TableWriter:
        """Return the writer of Tables for this resource.

        Raises ApiError 400 for an invalid ``includeObject`` parameter.
        """
        include = self.parameter("includeObject")
        now = self.registry.clock.now()
        return TableWriter(self.resource, self.representation, include, now, self.encodings)

    def status_representation(self) -> Representation:
        """Return the representation for a Status, which is never converted to a Table or to PartialObjectMetadata."""
        return Representation(self.representation.media_type, pretty=self.representation.pretty)


@lru_cache(maxsize=256)
def _manager_of(user_agent: bytes) -> str:
    """Return the default field manager of a request: the first part of the User-Agent header."""
    name = replaced(go_string(user_agent)).split("/")[0]
    printable = "".join(character for character in name if character.isprintable())
    return printable.encode()[:_LONGEST_MANAGER].decode(errors="ignore") or "unknown"


Endpoint: TypeAlias = Callable[[ResourceRequest], Awaitable[ASGIApp]]
"""Function that handles a request for a resource and returns the response. It raises ApiError to reject a request."""
