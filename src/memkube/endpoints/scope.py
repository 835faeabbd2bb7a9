"""What a handler works on."""

from dataclasses import dataclass, field

from memkube.endpoints.conversions import (
    ITEM_SEPARATOR,
    TableWriter,
    list_document,
    list_metadata,
    list_pieces,
    partial_metadata,
    partial_metadata_list,
    wrong_shape,
)
from memkube.endpoints.negotiation import Representation
from memkube.endpoints.paths import Address
from memkube.endpoints.requests import ApiRequest
from memkube.endpoints.responses import BytesResponse, JoinedResponse, document_response
from memkube.registry.context import WriteContext
from memkube.registry.key_names import check_key_name
from memkube.registry.listing import ObjectList
from memkube.registry.registry import Registry
from memkube.registry.resource import Resource, Subresource
from memkube.registry.store import Store
from memkube.registry.stored import StoredObject

_LONGEST_MANAGER = 128


@dataclass(slots=True)
class Scope:
    """One REST request whose address has been understood."""

    request: ApiRequest
    registry: Registry
    address: Address
    resource: Resource
    store: Store
    representation: Representation
    subresource: Subresource | None = None
    warnings: list[str] = field(default_factory=list)

    def check_name(self) -> None:
        """Raises ApiError 400 for a name that no key can hold."""
        check_key_name(self.address.name)

    def write_context(self, manager: str, dry_run: bool, body: bytes = b"") -> WriteContext:
        """The circumstances of a write; its warnings end up in this answer."""
        return WriteContext(
            namespace=self.address.namespace,
            manager=manager or self._user_agent_manager(),
            dry_run=dry_run,
            user=self.request.user,
            body_size=len(body),
            warnings=self.warnings,
        )

    def object_response(self, stored: StoredObject, code: int = 200) -> BytesResponse:
        """An object as the client wants it."""
        representation = self.representation
        if representation.is_plain_json:
            return BytesResponse(b"%s\n" % stored.data, code, warnings=self.warnings)
        document = stored.document
        if representation.kind == "PartialObjectMetadata":
            document = partial_metadata(stored, representation.version)
        elif representation.kind == "Table":
            metadata = {"resourceVersion": stored.resource_version} if stored.resource_version else {}
            document = self.table_writer().table([stored], metadata)
        elif representation.kind:
            raise wrong_shape(representation.kind, self.resource, is_list=False)
        return document_response(document, representation, code, self.warnings)

    def list_response(self, objects: ObjectList) -> BytesResponse | JoinedResponse:
        """A list as the client wants it."""
        representation = self.representation
        if representation.is_plain_json:
            return JoinedResponse(ITEM_SEPARATOR, list_pieces(self.resource, objects), self.warnings)
        if representation.kind == "PartialObjectMetadataList":
            document = partial_metadata_list(objects, representation.version)
        elif representation.kind == "Table":
            document = self.table_writer().table(objects.items, list_metadata(objects))
        elif representation.kind:
            raise wrong_shape(representation.kind, self.resource, is_list=True)
        else:
            document = list_document(self.resource, objects)
        return document_response(document, representation, 200, self.warnings)

    def table_writer(self) -> TableWriter:
        """Writes this resource's Tables with what the query says of them. Raises ApiError 400."""
        include = self.request.parameter("includeObject")
        return TableWriter(self.resource, self.representation, include, self.registry.backend.clock.now())

    def status_representation(self) -> Representation:
        """How a Status is written: never as a Table or as metadata."""
        return Representation(self.representation.media_type, pretty=self.representation.pretty)

    def _user_agent_manager(self) -> str:
        name = self.request.header(b"user-agent").split("/")[0]
        printable = "".join(character for character in name if character.isprintable())
        return printable.encode()[:_LONGEST_MANAGER].decode(errors="ignore") or "unknown"
