"""The versions of a custom kind: what is read of stored objects in each, and who owns what in which.

Sources: apiextensions ``apiserver/customresource_handler.go`` (the codec of the storage) and
``apiserver/conversion/converter.go``.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeAlias, TypeVar

from memkube.apimachinery.decoding import DecodeError
from memkube.apimachinery.errors import ApiError, unclassified
from memkube.apimachinery.json_text import to_json
from memkube.apimachinery.managed_fields import UnfitForVersionError, Versions
from memkube.apimachinery.model import Document
from memkube.apimachinery.schema import Schema
from memkube.apimachinery.structural import StructuralSchema
from memkube.registry.objects.conversion import Convert, renamed

MakeConvert: TypeAlias = Callable[[str], Convert]
"""Makes the conversion into the version of an apiVersion from any other."""

T = TypeVar("T")
_INVALID: Final = "invalid group/version"


class CustomVersions:
    """All versions of a kind by their apiVersions, those that are not served too."""

    def __init__(
        self,
        schemas: Mapping[str, StructuralSchema],
        convert: MakeConvert = renamed,
        with_status: frozenset[str] = frozenset(),
    ) -> None:
        """What `convert` makes is given objects of other versions alone; `with_status` are written in two parts."""
        self._schemas = schemas
        self._convert = convert
        self._with_status = with_status

    def reading(self, api_version: str) -> Convert:
        """Stored objects, whatever version they were written in, as one version shows them.

        They were perhaps written by an older schema: they are pruned and defaulted by that of their version, and
        pruned by that of the version they are converted into. Raises ApiError.
        """

        async def read(documents: Sequence[Document]) -> Sequence[Document]:
            return await self._converted([self._as_stored(document) for document in documents], api_version)

        return read

    def lasting(self, api_version: str) -> Callable[[Document], bool] | None:
        """Whether nobody has to be asked for a stored object in a version; None where nobody ever is."""
        if self._convert is renamed:
            return None
        return lambda document: bool(document["apiVersion"] == api_version)

    def writing(self, api_version: str) -> Convert:
        """Objects as they are to be stored in a version. Raises ApiError."""

        async def write(documents: Sequence[Document]) -> Sequence[Document]:
            return await self._converted(documents, api_version)

        return write

    async def shown(self, document: Document, api_version: str) -> Document:
        """An object that is being written, as it is in another version, nothing pruned yet. Raises ApiError."""
        if document["apiVersion"] == api_version:
            return document
        return (await self._convert(api_version)([document]))[0]

    async def settled(self, hub: str, work: Callable[[Versions], T]) -> T:
        """What `work` comes to; it is run again whenever it has learnt what an object looks like in some version.

        Objects go from any version into any other by way of `hub`, the one that is written.
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
        others = [place for place, document in enumerate(documents) if document["apiVersion"] != api_version]
        if not others:
            return documents
        for place in others:
            self._check(documents[place], api_version)
        converted = await self._convert(api_version)([documents[place] for place in others])
        shown = list(documents)
        for place, document in zip(others, converted, strict=True):
            shown[place] = _pruned(self._schemas[api_version], document)
        return shown

    def _as_stored(self, document: Document) -> Document:
        schema = self._schemas.get(document["apiVersion"])
        return document if schema is None else schema.default(_pruned(schema, document))

    def _check(self, document: Document, api_version: str) -> None:
        """Raises ApiError 500 for versions that the kind does not have."""
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
    """Somebody asks for an object in a version that it is not known in yet."""

    def __init__(self, document: Document, api_version: str) -> None:
        super().__init__(api_version)
        self.document = document
        self.api_version = api_version


class _KnownConversions(Versions):
    """See Versions. Raises _NeedsConversionError for what is not known."""

    def __init__(self, schemas: Mapping[str, StructuralSchema], with_status: frozenset[str], hub: str) -> None:
        self._schemas = schemas
        self._with_status = with_status
        self._hub = hub
        self._known: dict[tuple[bytes, str], Document | UnfitForVersionError] = {}

    def schema(self, api_version: str) -> Schema:
        """See Versions."""
        if api_version not in self._schemas:
            raise UnfitForVersionError(f"request to convert CR to an {_INVALID}: {api_version}")
        return self._schemas[api_version].struct

    def has_status(self, api_version: str) -> bool:
        """See Versions."""
        return api_version in self._with_status

    def converted(self, document: Document, api_version: str) -> Document:
        """See Versions."""
        if document["apiVersion"] not in (self._hub, api_version):
            document = self._step(document, self._hub)
        return document if document["apiVersion"] == api_version else self._step(document, api_version)

    def learn(self, document: Document, api_version: str, found: Document | UnfitForVersionError) -> None:
        """Keeps what an object looks like in a version, or why it is not to be had in it."""
        self._known[to_json(document), api_version] = found

    def _step(self, document: Document, api_version: str) -> Document:
        found = self._known.get((to_json(document), api_version))
        if found is None:
            raise _NeedsConversionError(document, api_version)
        if isinstance(found, UnfitForVersionError):
            raise found
        return found
