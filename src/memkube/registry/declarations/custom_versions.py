"""Conversion of custom objects between versions, for reads, for writes and for managedFields.

Sources: apiextensions ``apiserver/customresource_handler.go`` (the storage codec) and
``apiserver/conversion/converter.go``.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeAlias, TypeVar

from memkube.apimachinery.decoding import DecodeError
from memkube.apimachinery.errors import ApiError, unclassified
from memkube.apimachinery.forms import StructuralForm, decode_custom_metadata, unknown_in_version
from memkube.apimachinery.json_text import to_json
from memkube.apimachinery.managed_fields import UnfitForVersionError, Versions
from memkube.apimachinery.model import Document
from memkube.apimachinery.schema import Schema
from memkube.apimachinery.structural import StructuralSchema
from memkube.registry.objects.conversion import Convert, renamed

MakeConvert: TypeAlias = Callable[[str], Convert]
"""Function that takes an apiVersion, and returns a function that converts objects of any version to it."""

T = TypeVar("T")
_INVALID: Final = "invalid group/version"


class CustomVersions:
    """All versions of a custom kind by apiVersion, including versions that are not served."""

    def __init__(
        self,
        schemas: Mapping[str, StructuralSchema],
        convert: MakeConvert = renamed,
        with_status: frozenset[str] = frozenset(),
    ) -> None:
        """Create the versions of a custom kind from their structural schemas by apiVersion.

        `convert` takes an apiVersion, and returns a function that converts objects to it (:data:`MakeConvert`). Objects
        that already have this apiVersion are not passed to that function. `with_status` has the apiVersions with a
        ``status`` subresource.
        """
        self._schemas = schemas
        self._convert = convert
        self._with_status = with_status

    def structural_schema(self, api_version: str) -> StructuralSchema | None:
        """Return the schema of the version `api_version`; None if the definition has no such version."""
        return self._schemas.get(api_version)

    def strict_errors(self, document: Document, body: bytes | None, *, is_of_kind: bool) -> list[str]:
        """Return the unknown fields of an object that a client sent, and the duplicate fields in its JSON text `body`.

        The fields that the schema of the object's own version declares are known, even if the version is not served. If
        the kind has no such version, all fields are unknown. If `is_of_kind` is false, the object is of another kind,
        so that only the fields of its metadata are checked. Raises DecodeError for a value of a wrong type.
        """
        schema = self.structural_schema(str(document.get("apiVersion"))) if is_of_kind else None
        if schema is not None:
            return StructuralForm(schema).decode(document, body).strict_errors
        _, strict = decode_custom_metadata(document, body)
        return [*strict, *(unknown_in_version(document) if is_of_kind else ())]

    def reading(self, api_version: str) -> Convert:
        """Return a function that converts stored objects of any version to the served version `api_version`.

        A stored object may have been written under an older schema. Its fields are pruned and defaulted by the schema
        of the stored version, then pruned by that of the served version. The function raises ApiError if the conversion
        fails.
        """

        async def read(documents: Sequence[Document]) -> Sequence[Document]:
            return await self._converted([self._as_stored(document) for document in documents], api_version)

        return read

    def cache_condition(self, api_version: str) -> Callable[[Document], bool] | None:
        """Return a predicate that is True if a stored object, once converted to `api_version`, may be cached.

        This is the case if the object is stored in that version, so that the conversion webhook is not called. Returns
        None if all objects may be cached, because the kind has no conversion webhook.
        """
        if self._convert is renamed:
            return None
        return lambda document: bool(document["apiVersion"] == api_version)

    def writing(self, api_version: str) -> Convert:
        """Return a function that converts objects of any version to the stored version `api_version`.

        The function raises ApiError if the conversion of an object fails.
        """

        async def write(documents: Sequence[Document]) -> Sequence[Document]:
            return await self._converted(documents, api_version)

        return write

    async def shown(self, document: Document, api_version: str) -> Document:
        """Convert `document`, which a client sent, to the version `api_version`. Unknown fields are not pruned.

        Raises ApiError if the conversion webhook fails.
        """
        if document["apiVersion"] == api_version:
            return document
        return (await self._convert(api_version)([document]))[0]

    async def run_with_conversions(self, hub: str, work: Callable[[Versions], T]) -> T:
        """Return the result of `work`, a synchronous function that reads objects in several versions.

        `work` cannot wait for a conversion webhook. If it needs an object in a version to which the object has not been
        converted yet, this method stops it, converts the object, and calls `work` again from the beginning. `hub` is
        the apiVersion that the client writes. An object is converted between two other versions by way of `hub`.
        """
        known = _KnownConversions(self._schemas, self._with_status, hub)
        while True:
            try:
                return work(known)
            except _NeedsConversionError as needed:
                await self._learn(known, needed.document, needed.api_version)

    async def _learn(self, known: "_KnownConversions", document: Document, api_version: str) -> None:
        found: Document | UnfitForVersionError
        try:
            self._check(document, api_version)
            (found,) = await self._convert(api_version)([document])
        except ApiError as error:
            found = UnfitForVersionError(error.message)
        known.learn(document, api_version, found)

    async def _converted(self, documents: Sequence[Document], api_version: str) -> Sequence[Document]:
        others = [index for index, document in enumerate(documents) if document["apiVersion"] != api_version]
        if not others:
            return documents
        for index in others:
            self._check(documents[index], api_version)
        converted = await self._convert(api_version)([documents[index] for index in others])
        shown = list(documents)
        for index, document in zip(others, converted, strict=True):
            shown[index] = _pruned(self._schemas[api_version], document)
        return shown

    def _as_stored(self, document: Document) -> Document:
        schema = self._schemas.get(document["apiVersion"])
        return document if schema is None else schema.default(_pruned(schema, document))

    def _check(self, document: Document, api_version: str) -> None:
        """Raise ApiError 500 if the kind lacks the version `api_version`, or the version that `document` has now."""
        if api_version not in self._schemas:
            raise unclassified(f"request to convert CR to an {_INVALID}: {api_version}")
        if document["apiVersion"] not in self._schemas:
            raise unclassified(f"request to convert CR from an {_INVALID}: {document['apiVersion']}")


def _pruned(schema: StructuralSchema, document: Document) -> Document:
    try:
        return schema.prune(document)[0]
    except DecodeError as error:
        raise unclassified(error.message) from None


class _NeedsConversionError(Exception):
    """Raised if code needs an object in the version `api_version`, and the object has not been converted to it yet."""

    def __init__(self, document: Document, api_version: str) -> None:
        super().__init__(api_version)
        self.document = document
        self.api_version = api_version


class _KnownConversions(Versions):
    """Returns the results of conversions that have already been made.

    If code needs another conversion, `converted` raises _NeedsConversionError.
    """

    def __init__(self, schemas: Mapping[str, StructuralSchema], with_status: frozenset[str], hub: str) -> None:
        self._schemas = schemas
        self._with_status = with_status
        self._hub = hub
        self._known: dict[tuple[bytes, str], Document | UnfitForVersionError] = {}

    def schema(self, api_version: str) -> Schema:
        if api_version not in self._schemas:
            raise UnfitForVersionError(f"request to convert CR to an {_INVALID}: {api_version}")
        return self._schemas[api_version].struct

    def has_status(self, api_version: str) -> bool:
        return api_version in self._with_status

    def converted(self, document: Document, api_version: str) -> Document:
        if document["apiVersion"] not in (self._hub, api_version):
            document = self._step(document, self._hub)
        return document if document["apiVersion"] == api_version else self._step(document, api_version)

    def learn(self, document: Document, api_version: str, found: Document | UnfitForVersionError) -> None:
        """Save `found`, the result of converting an object to a version: the converted object, or the error."""
        self._known[to_json(document), api_version] = found

    def _step(self, document: Document, api_version: str) -> Document:
        found = self._known.get((to_json(document), api_version))
        if found is None:
            raise _NeedsConversionError(document, api_version)
        if isinstance(found, UnfitForVersionError):
            raise found
        return found
