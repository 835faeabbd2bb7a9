"""PATCH: applies a patch to the stored object (apiserver ``endpoints/handlers/patch.go``)."""

from typing import Any, NamedTuple

import orjson

from memkube.apimachinery.decoding import DecodeError, duplicate_fields, parse_json, probe_type
from memkube.apimachinery.decoding.json_body import refuse_infinity
from memkube.apimachinery.errors import ApiError, Details, bad_request, internal_error, invalid, not_found, unclassified
from memkube.apimachinery.field_errors import FieldError
from memkube.apimachinery.field_errors import invalid as invalid_value
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.model import Document
from memkube.apimachinery.patches import (
    PatchError,
    apply_json_patch,
    apply_merge_patch,
    apply_strategic_merge_patch,
    quoted_strategic_patch,
    strict_errors,
    with_sorted_maps,
)
from memkube.registry.declarations.kinds import KindName, WrongKind
from memkube.registry.declarations.request_options import WriteContext
from memkube.registry.declarations.resource import Resource, Subresource
from memkube.registry.declarations.strategy import ConversionError
from memkube.registry.objects.conversion import converted_between
from memkube.registry.objects.stored import StoredObject
from memkube.registry.reads.collection import Collection
from memkube.registry.writes.metadata import check_patched, nameless, own_changes, writer_of

JSON_PATCH = "application/json-patch+json"
MERGE_PATCH = "application/merge-patch+json"
STRATEGIC_MERGE_PATCH = "application/strategic-merge-patch+json"
APPLY_PATCH = "application/apply-patch+yaml"


class Patch(NamedTuple):
    """The patch of a PATCH request: media type, body, and the option fieldValidation."""

    type: str
    body: bytes
    validation: str


class Patched:
    """Function that applies a JSON patch, merge patch or strategic merge patch to the stored object.

    After a write conflict, it is called again with the newest revision.
    """

    def __init__(
        self, collection: Collection, name: str, patch: Patch, context: WriteContext, subresource: Subresource | None
    ) -> None:
        self._collection = collection
        self._resource = collection.resource
        self._name = name
        self._patch = patch
        self._context = context
        self._writer = writer_of(collection.resource, context, collection.backend.clock, subresource)
        self._data: Any = None
        self._strict: list[str] = []
        self._parsed = False

    async def __call__(self, current: StoredObject | None) -> ApiObject:
        """Return the object that results from applying the patch to `current`, the stored object.

        Raises ApiError 404 if the object does not exist, and 400, 413, 422 or 500 if the patch is malformed or cannot
        be applied.
        """
        if current is None:
            raise not_found(self._resource.group_resource, self._name)
        new = await self._patched(current)
        self._default(self._resource, new, current)
        await own_changes(current, new, self._resource, self._writer)
        check_patched(new, self._name, self._collection.namespace_of(self._context))
        return new

    def _default(self, resource: Resource, new: ApiObject, current: StoredObject) -> None:
        """Set the defaults of `new`, the patched object in the version of `resource`."""
        try:
            resource.strategy.default(new)
        except ConversionError as error:
            if self._patch.type == STRATEGIC_MERGE_PATCH:
                raise unclassified(error.message) from None
            raise self._unfit(current, error.message) from None

    async def _patched(self, current: StoredObject) -> ApiObject:
        try:
            self._parse()
            document = self._applied(current.document)
        except PatchError as error:
            details = Details() if error.code == 422 else None
            raise ApiError(error.code, error.reason, error.message, details) from None
        return await self._decoded(document, current)

    def _parse(self) -> None:
        if self._parsed:
            return
        prefix = "" if self._patch.type == STRATEGIC_MERGE_PATCH else "error decoding patch: "
        is_decoded = self._patch.type == STRATEGIC_MERGE_PATCH or self._patch.validation != "Ignore"
        try:
            self._data = parse_json(self._patch.body)
            if self._patch.type == JSON_PATCH:
                self._strict = self._operation_errors() if is_decoded else []
            else:
                if is_decoded:
                    refuse_infinity(self._data, self._patch.body)
                self._strict = duplicate_fields(self._patch.body)
        except DecodeError as error:
            raise bad_request(prefix + error.message) from None
        self._parsed = True

    def _operation_errors(self) -> list[str]:
        """Return the errors of strict field validation of a JSON patch.

        Raises PatchError or DecodeError if the operations have fields of wrong types.
        """
        errors = strict_errors(self._data)
        values = [operation.get("value") for operation in self._data or () if operation]
        refuse_infinity(values, self._patch.body, "Go struct field jsonPatchOp.value")
        return [*errors, *(f"json patch {error}" for error in duplicate_fields(self._patch.body))]

    def _applied(self, document: Document) -> Document:
        if self._patch.type == JSON_PATCH:
            return apply_json_patch(document, self._data)
        if self._patch.type == MERGE_PATCH:
            return apply_merge_patch(document, self._data)
        return apply_strategic_merge_patch(document, self._data, self._resource.schema)

    async def _decoded(self, document: Document, current: StoredObject) -> ApiObject:
        """Return the object of a patched document.

        The patch may have changed the apiVersion. An object of a built-in kind is then decoded in the new version, and
        converted. A custom object keeps its apiVersion and kind, because its strategy refuses wrong ones later.
        """
        is_custom, given = self._resource.structural is not None, self._resource
        try:
            if self._patch.type == STRATEGIC_MERGE_PATCH:
                decoded = self._collection.form.convert(document)
            elif is_custom:
                self._check_custom_type(document)
                refuse_infinity(document, self._patch.body)
                decoded = self._collection.form.decode(document)
            else:
                given = self._given_version(document, current)
                form = self._collection.form if given is self._resource else given.form
                decoded = form.decode(document)
        except (DecodeError, WrongKind) as error:
            raise self._unfit(current, error.message) from None
        new = decoded.value
        known = not is_custom or KindName.of(new.apiVersion, new.kind) == self._resource.kind_name
        strict = [*self._strict, *(decoded.strict_errors if known else self._strict_errors_of(document))]
        if strict and self._patch.validation == "Strict":
            raise self._unfit(current, f"strict decoding error: {', '.join(strict)}")
        if self._patch.validation == "Warn":
            for text in strict:
                self._context.warn(text)
        if is_custom:
            return new
        new.kind, new.apiVersion = given.kind, given.api_version
        return new if given is self._resource else await self._converted(new, given, current)

    async def _converted(self, new: ApiObject, given: Resource, current: StoredObject) -> ApiObject:
        """Return the patched object `new`, which has the version of `given`, in the version of the request."""
        self._default(given, new, current)
        document = await converted_between(new.to_document(), given.stored.form, self._resource.stored.form)
        return self._collection.form.decode(document).value

    def _check_custom_type(self, document: Document) -> None:
        """Raise an error if the apiVersion or kind of a patched custom object is missing."""
        api_version, kind = probe_type(document)
        if not kind:
            raise DecodeError(f"Object 'Kind' is missing in '{_sorted_json(document)}'")
        if document.get("apiVersion", "") is None:
            raise DecodeError(".apiVersion accessor error: <nil> is of the type <nil>, expected string")
        if not api_version:
            raise internal_error("Object 'apiVersion' is missing in 'object has no apiVersion field'")

    def _given_version(self, document: Document, current: StoredObject) -> Resource:
        """Return the resource in whose version a patched object of a built-in kind has to be decoded.

        It is the version in the patched object's apiVersion if the server serves it, and otherwise the version of the
        request. Raises WrongKind if the object is of another kind, ApiError if only the apiVersion is missing, and
        DecodeError if one of them is malformed.
        """
        api_version, kind = probe_type(document)
        if not api_version and kind in ("", self._resource.kind):
            raise self._without_version(document, current)
        expected = self._resource.kind_name
        if not api_version:
            raise self._collection.stores.internal_kind_error(expected, kind)
        found = self._collection.stores.check_kind(expected, api_version, kind)
        return self._resource if found == expected else self._collection.stores.resource_of(found) or self._resource

    def _without_version(self, document: Document, current: StoredObject) -> ApiError:
        """Return the error for `document`, a patched object of a built-in kind whose apiVersion is missing.

        kube-apiserver decodes it as the internal type, which knows none of its fields.
        """
        unknown = [f'unknown field "{name}"' for name in document if name not in ("apiVersion", "kind")]
        strict = [*self._strict, *unknown]
        if strict and self._patch.validation == "Strict":
            return self._unfit(current, f"strict decoding error: {', '.join(strict)}")
        if self._patch.validation == "Warn":
            for text in strict:
                self._context.warn(text)
        return nameless(self._name)

    def _strict_errors_of(self, document: Document) -> list[str]:
        """Return the unknown fields of a patched custom object whose kind or apiVersion the patch has changed."""
        found, resource = KindName.of(*probe_type(document)), self._resource
        if resource.versions is None:
            return []
        is_of_kind = (found.group, found.kind) == (resource.group, resource.kind)
        return resource.versions.strict_errors(document, None, is_of_kind=is_of_kind)

    def _unfit(self, current: StoredObject, why: str) -> ApiError:
        if self._patch.type == STRATEGIC_MERGE_PATCH:
            shown = quoted_strategic_patch(current.document, self._data, self._resource.schema)
        else:
            schema = self._resource.schema
            if self._resource.structural is not None:
                applied = self._applied(current.document)
                return invalid("", "", "", [invalid_value("patch", _sorted_json(applied), why)])
            shown = _escaped(orjson.dumps(self._applied(with_sorted_maps(schema, current.document))).decode())
        error: FieldError = invalid_value("patch", shown, why)
        return invalid("", "", "", [error])


def _sorted_json(document: Document) -> str:
    return _escaped(orjson.dumps(document, option=orjson.OPT_SORT_KEYS).decode())


def _escaped(text: str) -> str:
    """Return JSON text with the characters escaped that Go's encoder escapes: ``<``, ``>`` and ``&``."""
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
