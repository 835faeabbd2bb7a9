"""Server-side apply: the object that an applied configuration makes of the stored one (KEP-555)."""

from memkube.apimachinery.decoding import DecodeError, decode, read_yaml
from memkube.apimachinery.errors import ApiError, Cause, Details, bad_request, unclassified
from memkube.apimachinery.managed_fields import ApplyConflict, ApplyError, Writer, apply
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.model import Document
from memkube.apimachinery.patches.json_patch import json_type
from memkube.registry.context import WriteContext
from memkube.registry.patching import Patch
from memkube.registry.resource import Resource
from memkube.registry.stored import StoredObject


class Applier:
    """Applies one configuration, to as many revisions as it takes."""

    def __init__(
        self, patch: Patch, resource: Resource, context: WriteContext, writer: Writer, *, force: bool = False
    ) -> None:
        self._patch = patch
        self._resource = resource
        self._context = context
        self._writer = writer
        self._force = force

    def apply(self, current: StoredObject | None) -> ApiObject:
        """The merged object with its new owners, not yet defaulted. Raises ApiError 400, 409 and 500."""
        configuration, duplicates = self._configuration()
        merged = self._merged(current, configuration)
        self._complain(duplicates)
        try:
            return decode(self._resource.model, merged).value
        except DecodeError as error:
            raise unclassified(error.message) from None

    def _configuration(self) -> tuple[Document, list[str]]:
        try:
            read = read_yaml(self._patch.body)
        except DecodeError as error:
            raise bad_request(f"error decoding YAML: error converting YAML to JSON: {error.message}") from None
        if read.data is not None and not isinstance(read.data, dict):
            why = f"json: cannot unmarshal {json_type(read.data)} into Go value of type map[string]interface {{}}"
            raise bad_request(f"error decoding YAML: error unmarshaling JSON: while decoding JSON: {why}")
        return read.data or {}, read.duplicates

    def _merged(self, current: StoredObject | None, configuration: Document) -> Document:
        live = current.document if current else None
        try:
            return apply(self._resource.schema, live, configuration, self._writer, force=self._force)
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
