"""What a handler works on."""

from dataclasses import dataclass, field

from memkube.endpoints.conversions import (
    TableWriter,
    list_metadata,
    list_parts,
    partial_metadata_parts,
    wrong_shape,
)
from memkube.endpoints.encodings import Encodings, partial_metadata
from memkube.endpoints.negotiation import Representation
from memkube.endpoints.paths import Address
from memkube.endpoints.requests import ApiRequest
from memkube.endpoints.responses import BytesResponse, JoinedResponse, document_response, relaid
from memkube.registry.metadata import check_key_name
from memkube.registry.registry import Registry
from memkube.registry.requests import WriteContext
from memkube.registry.resource import Resource, Subresource
from memkube.registry.store import Store
from memkube.registry.stored import ObjectList, StoredObject

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
    encodings: Encodings
    subresource: Subresource | None = None
    warnings: list[str] = field(default_factory=list)

    def check_name(self) -> None:
        """Raises ApiError 400 for a name that no key can hold."""
        check_key_name(self.address.name)

    def write_context(self, manager: str, dry_run: bool) -> WriteContext:
        """The circumstances of a write; its warnings end up in this answer."""
        return WriteContext(
            namespace=self.address.namespace,
            manager=manager or self._user_agent_manager(),
            dry_run=dry_run,
            user=self.request.user,
            warnings=self.warnings,
        )

    def object_response(self, stored: StoredObject, code: int = 200) -> BytesResponse:
        """An object as the client wants it."""
        representation = self.representation
        match representation.kind:
            case "":
                if not representation.is_plain_json:
                    return document_response(stored.document, representation, code, self.warnings)
                written = b"%s\n" % stored.data
            case "PartialObjectMetadata":
                written = b"%s\n" % partial_metadata(stored, representation.version, self.resource)
            case "Table":
                metadata = {"resourceVersion": stored.resource_version} if stored.resource_version else {}
                written = self.table_writer().of_one(stored, metadata).text()
            case kind:
                raise wrong_shape(kind, self.resource, is_list=False)
        return BytesResponse(relaid(written, representation), code, representation.media_type, self.warnings)

    async def list_response(self, objects: ObjectList) -> BytesResponse | JoinedResponse:
        """A list as the client wants it."""
        representation = self.representation
        match representation.kind:
            case "":
                shared = self.encodings.joined_rows if representation.is_compact_json else None
                parts = list_parts(self.resource, objects, shared)
            case "PartialObjectMetadataList":
                parts = partial_metadata_parts(self.resource, objects, representation.version)
            case "Table":
                parts = await self.table_writer().parts(objects.items, list_metadata(objects))
            case kind:
                raise wrong_shape(kind, self.resource, is_list=True)
        return await parts.response(representation, self.warnings)

    def table_writer(self) -> TableWriter:
        """Writes this resource's Tables with what the query says of them. Raises ApiError 400."""
        include = self.request.parameter("includeObject")
        now = self.registry.clock.now()
        return TableWriter(self.resource, self.representation, include, now, self.encodings)

    def status_representation(self) -> Representation:
        """How a Status is written: never as a Table or as metadata."""
        return Representation(self.representation.media_type, pretty=self.representation.pretty)

    def _user_agent_manager(self) -> str:
        name = self.request.header(b"user-agent").split("/")[0]
        printable = "".join(character for character in name if character.isprintable())
        return printable.encode()[:_LONGEST_MANAGER].decode(errors="ignore") or "unknown"
