"""Request bodies: their media types, and objects decoded from them (apiserver ``handlers``: transformDecodeError)."""

from collections.abc import Sequence
from typing import Any, Final

from memkube.apimachinery.decoding import DecodeError, Form, summarized
from memkube.apimachinery.errors import ApiError, bad_request
from memkube.apimachinery.model import ApiModel
from memkube.endpoints.encoded_objects import read_object
from memkube.endpoints.media_types import JSON, PROTOBUF, YAML, media_type_of
from memkube.registry.catalog import Catalog
from memkube.registry.kinds import KindName, WrongKind

MEDIA_TYPES: Final = (JSON, YAML, PROTOBUF)
"""What the body of an object may be written in."""


def body_media_type(content_type: str) -> str:
    """The media type of an object's body: JSON where the client does not say. Raises ApiError 415."""
    media_type = media_type_of(content_type) if content_type else JSON
    if media_type not in MEDIA_TYPES:
        raise unknown_format(MEDIA_TYPES)
    return media_type


def unknown_format(accepted: Sequence[str]) -> ApiError:
    """415 for a body in another media type than these."""
    message = f"the body of the request was in an unknown format - accepted media types include: {', '.join(accepted)}"
    return ApiError(415, "UnsupportedMediaType", message)


def _warnings(strict_errors: list[str]) -> list[str]:
    """What to warn of: the one complaint about a body in YAML holds as many as it has lines."""
    warnings: list[str] = []
    for complaint in strict_errors:
        title, *lines = complaint.split("\n")
        warnings += [line.strip() for line in lines] if title == "yaml: unmarshal errors:" else [complaint]
    return warnings


class BodyDecoder:
    """Decodes bodies into objects of one kind, with the reference's words for those that do not fit."""

    def __init__(
        self, expected: KindName, form: Form[ApiModel], catalog: Catalog, accepted: tuple[str, ...] = ()
    ) -> None:
        """`accepted` are further apiVersions that mean the same."""
        self.expected = expected
        self.form = form
        self.catalog = catalog
        self.accepted = accepted

    def decode(self, body: bytes, media_type: str, validation: str) -> tuple[Any, list[str]]:
        """The object and its warnings about fields (fieldValidation Warn). Raises ApiError 400."""
        try:
            encoded = read_object(body, media_type, self.catalog.messages)
        except DecodeError as error:
            raise self._unrecognized(error.message, body) from None
        try:
            found = self.catalog.check_kind(self.expected, encoded.api_version, encoded.kind)
        except WrongKind as error:
            raise self._unfit(error.found, error.message) from None
        try:
            decoded = encoded.decode(self.form)
        except DecodeError as error:
            raise self._unfit(found, error.message) from None
        strict = decoded.strict_errors
        if strict and validation == "Strict":
            raise self._unfit(found, f"strict decoding error: {', '.join(strict)}")
        if found.api_version not in (self.expected.api_version, *self.accepted):
            raise bad_request(
                f"the API version in the data ({found.api_version}) does not match the expected API version "
                f"({self.expected.api_version})"
            )
        value: Any = decoded.value
        value.kind, value.apiVersion = self.expected.kind, self.expected.api_version
        return value, _warnings(strict) if validation == "Warn" else []

    def _unfit(self, found: KindName, why: str) -> ApiError:
        expected = self.expected.kind
        return bad_request(f'{found.kind} in version "{found.version}" cannot be handled as a {expected}: {why}')

    def _unrecognized(self, why: str, body: bytes) -> ApiError:
        expected = self.expected.kind
        return bad_request(
            f"the object provided is unrecognized (must be of type {expected}): {why} ({summarized(body)})"
        )
