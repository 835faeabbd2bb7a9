"""Server-side apply: merges an applied configuration into the stored object (KEP-555)."""

from functools import cached_property

from memkube.apimachinery.decoding import DecodeError
from memkube.apimachinery.errors import ApiError, Cause, Details, bad_request, conflict, unclassified
from memkube.apimachinery.managed_fields import ApplyConflict, ApplyError, apply
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.model import Document
from memkube.apimachinery.patches.json_patch import json_type
from memkube.registry.declarations.request_options import WriteContext
from memkube.registry.declarations.resource import Subresource
from memkube.registry.declarations.strategy import ConversionError
from memkube.registry.objects.stored import StoredObject
from memkube.registry.reads.collection import Collection
from memkube.registry.writes.metadata import across_versions, check_patched, writer_of
from memkube.registry.writes.patching import Patch


class Applied:
    """Function that merges an applied configuration into the stored object, or creates the object from it.

    After a write conflict, it is called again with the newest revision.
    """

    def __init__(
        self,
        collection: Collection,
        name: str,
        patch: Patch,
        context: WriteContext,
        subresource: Subresource | None,
        *,
        force: bool = False,
    ) -> None:
        self._collection = collection
        self._resource = collection.resource
        self._name = name
        self._patch = patch
        self._context = context
        self._writer = writer_of(collection.resource, context, collection.backend.clock, subresource)
        self._force = force

    async def __call__(self, current: StoredObject | None) -> ApiObject:
        """Return the stored object `current` with the configuration merged in; a new object if `current` is None.

        Raises ApiError:

        - 400 if the configuration is malformed,
        - 409 if other managers own its fields, or if it has a uid but the object does not exist,
        - 500 if its values do not fit the schema or the Go type of the kind, or if kube-apiserver cannot apply the
          kind.
        """
        merged = await self._merged_with(current)
        new = self._converted(merged)
        is_custom = self._resource.structural is not None
        if current is None or not is_custom or _without_owners(merged) != _without_owners(current.document):
            # Do not set defaults in a custom object that the configuration does not change: it may have been stored in
            # another version, without the defaults of this version, and a write that changes only managedFields must
            # not add these defaults.
            self._default(new)
        if current is None and new.metadata.uid:
            why = (
                f"uid mismatch: the provided object specified uid {new.metadata.uid}, and no existing object was found"
            )
            raise conflict(self._resource.group_resource, self._name, why)
        check_patched(new, self._name, self._collection.namespace_of(self._context))
        return new

    def _default(self, new: ApiObject) -> None:
        try:
            self._resource.strategy.default(new)
        except ConversionError as error:
            what = self._applied_object()
            raise unclassified(f"failed to convert to unversioned ({what}): {error.message}") from None

    async def _merged_with(self, current: StoredObject | None) -> Document:
        configuration, duplicates = self._configuration
        if self._resource.refusals.apply:
            raise unclassified(self._resource.refusals.apply)
        merged = await self._merged(current, configuration)
        self._complain(duplicates)
        return merged

    def _converted(self, merged: Document) -> ApiObject:
        try:
            return self._collection.form.convert(merged).value
        except DecodeError as error:
            raise self._unconverted(error.message) from None

    def _unconverted(self, why: str) -> ApiError:
        """Return the 500 error for a value that fits the schema but not the Go type, such as invalid base64.

        `why` is the message of the decoding error.
        """
        kind = f"{self._resource.group}/{self._resource.version}, Kind={self._resource.kind}"
        return unclassified(
            f"failed to convert new object ({self._applied_object()}) to proper version: "
            f"unable to convert unstructured object to {kind}: {why}"
        )

    def _applied_object(self) -> str:
        """Return namespace, name and kind of the applied configuration, as they are shown in error messages."""
        configuration, _ = self._configuration
        resource, metadata = self._resource, configuration.get("metadata") or {}
        kind = f"{resource.group}/{resource.version}, Kind={resource.kind}"
        return f"{metadata.get('namespace', '')}/{metadata.get('name', '')}; {kind}"

    @cached_property
    def _configuration(self) -> tuple[Document, list[str]]:
        """The applied configuration as JSON data, and the paths of its duplicate fields. The body is parsed once.

        Raises ApiError 400 if the body is not a YAML object.
        """
        from memkube.apimachinery.decoding.yaml_body import read_yaml  # noqa: PLC0415  imported with the first YAML body

        try:
            read = read_yaml(self._patch.body)
        except DecodeError as error:
            raise bad_request(f"error decoding YAML: error converting YAML to JSON: {error.message}") from None
        if read.data is not None and not isinstance(read.data, dict):
            why = f"json: cannot unmarshal {json_type(read.data)} into Go value of type map[string]interface {{}}"
            raise bad_request(f"error decoding YAML: error unmarshaling JSON: while decoding JSON: {why}")
        return read.data or {}, read.duplicates

    async def _merged(self, current: StoredObject | None, configuration: Document) -> Document:
        live = current.document if current else None
        try:
            return await across_versions(
                self._resource,
                self._writer,
                lambda writer: apply(self._resource.schema, live, configuration, writer, force=self._force),
            )
        except ApplyConflict as error:
            causes = tuple(Cause(reason, message, field) for reason, message, field in error.causes)
            raise ApiError(error.code, error.reason, error.message, Details(causes=causes)) from None
        except ApplyError as error:
            raise ApiError(error.code, error.reason, error.message) from None

    def _complain(self, duplicates: list[str]) -> None:
        if duplicates and self._patch.validation == "Strict":
            complaint = "\n  ".join(["error converting YAML to JSON: yaml: unmarshal errors:", *duplicates])
            raise bad_request(f"error strict decoding YAML: {complaint}")
        if self._patch.validation == "Warn":
            for duplicate in duplicates:
                self._context.warn(duplicate)


def _without_owners(document: Document) -> Document:
    metadata = {name: value for name, value in document["metadata"].items() if name != "managedFields"}
    return {**document, "metadata": metadata}
