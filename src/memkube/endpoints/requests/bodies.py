"""Request bodies: their media types, and decoding of objects (apiserver ``handlers``: transformDecodeError)."""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple, Protocol, TypeVar

from memkube.apimachinery.decoding import (
    DecodeError,
    body_summary,
    parse_json,
    probe_type,
    type_meta_error,
)
from memkube.apimachinery.errors import ApiError, bad_request
from memkube.apimachinery.forms import Decoded, Form, StructuralForm
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.protobuf import Envelope, Messages, open_envelope
from memkube.apimachinery.schema import StructSchema
from memkube.apimachinery.shown_values import quoted, shown
from memkube.endpoints.requests.negotiation import JSON, PROTOBUF, YAML, media_type_of
from memkube.registry.declarations.catalog import Catalog
from memkube.registry.declarations.kinds import KindName, WrongKind

MEDIA_TYPES: Final = (JSON, YAML, PROTOBUF)
"""The media types that a body with an object can have."""
M = TypeVar("M", bound=ApiModel)
_META_PACKAGE: Final = "k8s.io/apimachinery/pkg/apis/meta/v1"
_META_KINDS: Final = ("CreateOptions", "DeleteOptions", "PatchOptions", "Status", "UpdateOptions")


def body_media_type(content_type: str) -> str:
    """Return the media type in a Content-Type header; JSON if the header is empty.

    Raises ApiError 415 if bodies cannot have this media type.
    """
    media_type = media_type_of(content_type) if content_type else JSON
    if media_type not in MEDIA_TYPES:
        raise unknown_format(MEDIA_TYPES)
    return media_type


def unknown_format(accepted: Sequence[str]) -> ApiError:
    """Return the 415 error for a body with an unknown media type. It lists the accepted media types."""
    message = f"the body of the request was in an unknown format - accepted media types include: {', '.join(accepted)}"
    return ApiError(415, "UnsupportedMediaType", message)


def _warnings(strict_errors: list[str]) -> list[str]:
    """Return a warning for each strict decoding error; a YAML parser's error gets one for each of its lines."""
    warnings: list[str] = []
    for complaint in strict_errors:
        title, *lines = complaint.split("\n")
        warnings += [line.strip() for line in lines] if title == "yaml: unmarshal errors:" else [complaint]
    return warnings


class BodyDecoder:
    """Decodes bodies into objects of one kind. Errors have kube-apiserver's messages."""

    def __init__(
        self,
        expected: KindName,
        form: Form[ApiModel],
        catalog: Catalog,
        accepted: tuple[str, ...] = (),
        fault: str = "",
    ) -> None:
        """Create the decoder.

        `expected` is the kind that bodies must have, and `form` decodes an object of this kind. `accepted` are further
        apiVersions that bodies may have. `catalog` has all served kinds. If `fault` is not empty, it replaces the
        message of every decoding error.
        """
        self.fault = fault
        self.expected = expected
        self.form = form
        self.catalog = catalog
        self.accepted = accepted

    def decode(self, body: bytes, media_type: str, validation: str) -> tuple[Any, list[str]]:
        """Decode the body of a request. Return the object and warnings.

        If `validation` (the parameter ``fieldValidation``) is Warn, there is a warning for each unknown or duplicate
        field. Raises ApiError 400 if the body is malformed.
        """
        try:
            return self._decoded(body, media_type, validation)
        except ApiError:
            if self.fault:
                raise bad_request(self.fault) from None
            raise

    def _decoded(self, body: bytes, media_type: str, validation: str) -> tuple[Any, list[str]]:
        try:
            encoded = read_object(body, media_type, self.catalog.messages)
        except DecodeError as error:
            raise self._unrecognized(error.message, body) from None
        value, strict = self.fit(encoded, body, validation)
        return value, _warnings(strict) if validation == "Warn" else []

    def fit(self, encoded: "EncodedObject", body: bytes, validation: str) -> tuple[Any, list[str]]:
        """Decode the data of a body. Return the object and the strict decoding errors: unknown and duplicate fields.

        `encoded` has the data, as parsed from the bytes `body`. Raises ApiError 400 if the object is of another kind or
        has a value of a wrong type (with a DecodeError as ``__cause__``). If `validation`, the parameter
        ``fieldValidation``, is Strict, strict decoding errors raise ApiError 400 as well.

        A custom object keeps the kind that the client sent: its strategy refuses a wrong one.
        """
        if isinstance(self.form, StructuralForm):
            return self._fit_custom(encoded, body, validation)
        try:
            api_version = full_api_version(encoded.api_version, self.expected, body)
        except DecodeError as error:
            raise self._unfit(KindName("", "", encoded.kind or self.expected.kind), error.message) from None
        try:
            found = self.catalog.check_kind(self.expected, api_version, encoded.kind)
        except WrongKind as error:
            raise self._unfit(error.found, self._decode_error_as(encoded, error.found) or error.message) from None
        form = self._form_of(found)
        try:
            decoded = encoded.decode(form or self.form)
        except DecodeError as error:
            raise self._unfit(found, error.message) from error
        strict = decoded.strict_errors if form is not None else []
        if strict and validation == "Strict":
            raise self._unfit(found, f"strict decoding error: {', '.join(strict)}")
        if found is not self.expected and found.api_version not in (self.expected.api_version, *self.accepted):
            refusal = self._other_version(found.api_version)
            refusal.warnings = tuple(_warnings(strict)) if validation == "Warn" else ()
            raise refusal
        value: Any = decoded.value
        expected = self.expected
        value.kind, value.apiVersion = expected.kind, expected.api_version
        return value, strict

    def _form_of(self, found: KindName) -> Form[ApiModel] | None:
        """Return the decoder of the kind that a body names, which may be another version of the expected kind.

        Returns None for a version that is not served, whose fields are not known.
        """
        if found == self.expected or found.api_version in self.accepted:
            return self.form
        served = self.catalog.of_kind(found)
        return None if served is None or served.structural is not None else served.form

    def _decode_error_as(self, encoded: "EncodedObject", found: KindName) -> str:
        """Return the error message of decoding a body as the kind that it names; "" if it can be decoded.

        `found` is this kind, which differs from the one that the URL requires. The result is also "" if Kubernetes does
        not try to decode this kind, for example because it is a custom kind.
        """
        served = self.catalog.of_kind(found)
        if served is None and isinstance(encoded, ProtobufMessage):
            return self._message_error_as(encoded, found)
        if served is None or served.structural is not None or not self.catalog.share_a_scheme(found, self.expected):
            return ""
        try:
            encoded.decode(served.form)
        except DecodeError as error:
            return error.message
        return ""

    def _message_error_as(self, encoded: "ProtobufMessage", found: KindName) -> str:
        """Return the message of the error that decoding a protobuf message as the kind `found` raises.

        `found` is a list, or a kind of meta/v1 such as DeleteOptions. The result is "" if there is no error, or if
        Kubernetes knows no such kind.
        """
        package = _META_PACKAGE if found.kind in _META_KINDS else ""
        if found.kind.endswith("List"):
            item = self.catalog.of_kind(KindName(found.group, found.version, found.kind.removesuffix("List")))
            package = "" if item is None else item.schema.package
        if not package or not self.catalog.can_decode(found, self.expected):
            return ""
        try:
            encoded.messages.decode(StructSchema(found.kind, dict, package=package), encoded.envelope.message)
        except DecodeError as error:
            return error.message
        return ""

    def _fit_custom(self, encoded: "EncodedObject", body: bytes, validation: str) -> tuple[Any, list[str]]:
        """Decode the data of a body that has a custom object, as `fit` does.

        Raises ApiError 400 also if the object names no kind, or another version than the URL.
        """
        if not encoded.kind:
            raise self._without_kind(encoded, body, validation)
        if encoded.api_version != self.expected.api_version:
            raise self._other_custom_version(encoded, validation)
        found = KindName.of(encoded.api_version, encoded.kind)
        try:
            decoded = encoded.decode(self.form)
            strict = decoded.strict_errors
            if found != self.expected and isinstance(encoded, JsonData):
                strict = self._strict_errors_of_custom(encoded, found)
        except DecodeError as error:
            raise self._unfit(found, error.message) from error
        if strict and validation == "Strict":
            raise _strict_refusal(found, strict)
        return decoded.value, strict

    def _without_kind(self, encoded: "EncodedObject", body: bytes, validation: str) -> ApiError:
        """Return the 400 error for a custom object without a kind, which has another form if `validation` is Ignore."""
        if validation == "Ignore" and isinstance(encoded, JsonData):
            version = KindName.of(encoded.api_version or self.expected.api_version, "").version
            text = shown(encoded.data) if encoded.text is None else body.decode("utf-8", "replace")
            found = KindName("", version, self.expected.kind)
            return self._unfit(found, f"Object 'Kind' is missing in '{text}'")
        return self._unrecognized(f"Object 'Kind' is missing in '{body.decode('utf-8', 'replace')}'", body)

    def _other_custom_version(self, encoded: "EncodedObject", validation: str) -> ApiError:
        """Return the 400 error for a custom object whose version differs from that in the URL.

        `encoded` is the parsed body, and `validation` the parameter ``fieldValidation``. Normally, the error is about
        the version. There are these exceptions:

        - If a value in the metadata has a wrong type, the error is about this value.
        - If `validation` is Strict, the error is about unknown and duplicate fields, if there are any.
        - If `validation` is Warn, the error also has warnings about these fields.
        """
        refusal = self._other_version(encoded.api_version)
        if not isinstance(encoded, JsonData):
            return refusal
        found = KindName.of(encoded.api_version, encoded.kind)
        try:
            strict = self._strict_errors_of_custom(encoded, found)
        except DecodeError as error:
            return self._unfit(found, error.message)
        if strict and validation == "Strict":
            if not encoded.api_version:
                return bad_request("Object 'apiVersion' is missing in 'object has no apiVersion field'")
            return _strict_refusal(found, strict)
        refusal.warnings = tuple(_warnings(strict)) if validation == "Warn" else ()
        return refusal

    def _strict_errors_of_custom(self, encoded: "JsonData", found: KindName) -> list[str]:
        """Return the unknown and duplicate fields of a custom object of the kind `found`, in any version.

        Raises DecodeError for a value of a wrong type.
        """
        resource = self.catalog.of_kind(self.expected)
        if resource is None or resource.versions is None:
            return list(encoded.strict_errors)
        is_of_kind = (found.group, found.kind) == (self.expected.group, self.expected.kind)
        strict = resource.versions.strict_errors(encoded.data, encoded.text, is_of_kind=is_of_kind)
        return [*encoded.strict_errors, *strict]

    def _other_version(self, found: str) -> ApiError:
        return bad_request(
            f"the API version in the data ({found}) does not match the expected API version "
            f"({self.expected.api_version})"
        )

    def _unfit(self, found: KindName, why: str) -> ApiError:
        version = quoted(found.version)
        return bad_request(f"{found.kind} in version {version} cannot be handled as a {self.expected.kind}: {why}")

    def _unrecognized(self, why: str, body: bytes) -> ApiError:
        expected = self.expected.kind
        return bad_request(
            f"the object provided is unrecognized (must be of type {expected}): {why} ({body_summary(body)})"
        )


def _strict_refusal(found: KindName, strict: list[str]) -> ApiError:
    """Return the 400 error for the unknown and duplicate fields of a custom object, which names the kind `found`."""
    version, why = quoted(found.version), ", ".join(strict)
    return bad_request(
        f"{found.kind} in version {version} cannot be handled as a {found.kind}: strict decoding error: {why}"
    )


def full_api_version(api_version: str, expected: KindName, body: bytes) -> str:
    """Return an object's apiVersion, `api_version`, with the version that it may lack, as in ``apps/``.

    `expected` is the kind that the request requires. If `api_version` lacks the version and names the group of
    `expected`, the version of `expected` is added. Raises DecodeError with the text of the `body` if it lacks the
    version and names another group.
    """
    if not api_version.endswith("/"):
        return api_version
    if api_version[:-1] != expected.group:
        raise DecodeError(f"Object 'apiVersion' is missing in '{body.decode(errors='replace')}'")
    return expected.api_version


class EncodedObject(Protocol):
    """A parsed body, whose object has not been converted to the model of its kind yet."""

    @property
    def api_version(self) -> str:
        """The apiVersion in the body; "" if it is missing."""

    @property
    def kind(self) -> str:
        """The kind in the body; "" if it is missing."""

    def decode(self, form: Form[M]) -> Decoded[M]:
        """Convert the body to an object with the decoder `form`. Return the object and the strict decoding errors.

        Strict decoding errors are unknown and duplicate fields. Raises DecodeError if a value has a wrong type.
        """


class JsonData(NamedTuple):
    """An object parsed from JSON or YAML.

    `text` is the JSON text of the body; None for YAML.
    """

    api_version: str
    kind: str
    data: Any
    text: bytes | None = None
    strict_errors: Sequence[str] = ()

    def decode(self, form: Form[M]) -> Decoded[M]:
        """Convert the JSON data to an object with the decoder `form`.

        Strict decoding errors are the unknown fields, and duplicate fields in the text.
        """
        decoded = form.decode({} if self.data is None else self.data, self.text)
        return Decoded(decoded.value, [*self.strict_errors, *decoded.strict_errors])


class ProtobufMessage(NamedTuple):
    """An object in a protobuf message, which cannot have unknown or duplicate fields."""

    envelope: Envelope
    messages: Messages

    @property
    def api_version(self) -> str:
        """The apiVersion in the protobuf envelope; "" if it is missing."""
        return self.envelope.api_version

    @property
    def kind(self) -> str:
        """The kind in the protobuf envelope; "" if it is missing."""
        return self.envelope.kind

    def decode(self, form: Form[M]) -> Decoded[M]:
        """Convert the protobuf message to an object with the decoder `form`.

        There are no strict decoding errors: unknown fields are skipped, and duplicates are merged.
        """
        return Decoded(form.decode(self.messages.decode(form.struct, self.envelope.message)).value)


def read_object(body: bytes, media_type: str, messages: Messages) -> EncodedObject:
    """Parse the object in a body of an accepted media type. Raises DecodeError if the body is malformed.

    `messages` decodes Kubernetes' protobuf.
    """
    if media_type == PROTOBUF:
        return ProtobufMessage(open_envelope(body), messages)
    if media_type == YAML:
        from memkube.apimachinery.decoding.yaml_body import read_yaml  # noqa: PLC0415  imported with the first YAML body

        read = read_yaml(body)
        return JsonData(*probe_type(read.data), read.data, strict_errors=read.strict_errors)
    try:
        data = parse_json(body)
    except DecodeError as error:
        raise type_meta_error(error.message) from None
    return JsonData(*probe_type(data), data, None if data is None else body)
