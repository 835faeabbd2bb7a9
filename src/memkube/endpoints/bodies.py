"""Request bodies: their media types, and objects decoded from them (apiserver ``handlers``: transformDecodeError)."""

from typing import Any, TypeVar

from memkube.apimachinery.decoding import (
    DecodeError,
    YamlBody,
    decode,
    parse_json,
    probe_type,
    read_yaml,
    summarized,
    unprobed,
)
from memkube.apimachinery.errors import ApiError, bad_request
from memkube.apimachinery.model import ApiModel
from memkube.endpoints.media_types import JSON, YAML
from memkube.registry.catalog import Catalog, KindName
from memkube.registry.kinds import WrongKind, found_kind

M = TypeVar("M", bound=ApiModel)


def body_media_type(content_type: str) -> str:
    """The media type of an object's body: JSON where the client does not say. Raises ApiError 415."""
    media_type = content_type.split(";", maxsplit=1)[0].strip().lower() or JSON
    if media_type not in (JSON, YAML):
        message = (
            "the body of the request was in an unknown format - accepted media types include: "
            "application/json, application/yaml, application/vnd.kubernetes.protobuf"
        )
        raise ApiError(415, "UnsupportedMediaType", message)
    return media_type


def read_body(body: bytes, media_type: str) -> YamlBody:
    """The data of a body, and what keys it gives twice where it is YAML. Raises DecodeError."""
    if media_type == YAML:
        return read_yaml(body)
    try:
        return YamlBody(parse_json(body))
    except DecodeError as error:
        raise unprobed(error.message) from None


def read_text(body: bytes, media_type: str) -> bytes | None:
    """The JSON text to look for duplicate keys in; None for YAML, and for ``null``."""
    return None if media_type == YAML or body.strip() == b"null" else body


class BodyDecoder:
    """Decodes bodies into objects of one kind, with the reference's words for those that do not fit."""

    def __init__(self, expected: KindName, model: type[M], catalog: Catalog, accepted: tuple[str, ...] = ()) -> None:
        """`accepted` are further apiVersions that mean the same."""
        self.expected = expected
        self.model: type[ApiModel] = model
        self.catalog = catalog
        self.accepted = accepted

    def decode(self, body: bytes, media_type: str, validation: str) -> tuple[Any, list[str]]:
        """The object and its warnings about fields (fieldValidation Warn). Raises ApiError 400."""
        try:
            read = read_body(body, media_type)
            api_version, kind = probe_type(read.data)
        except DecodeError as error:
            raise self._unrecognized(error.message, body) from None
        try:
            found = found_kind(self.expected, api_version, kind, self.catalog)
        except WrongKind as error:
            raise self._unfit(error.found, error.message) from None
        try:
            decoded = decode(self.model, {} if read.data is None else read.data, read_text(body, media_type))
        except DecodeError as error:
            raise self._unfit(found, error.message) from None
        strict = [*read.strict_errors, *decoded.strict_errors]
        if strict and validation == "Strict":
            raise self._unfit(found, f"strict decoding error: {', '.join(strict)}")
        if found.api_version not in (self.expected.api_version, *self.accepted):
            raise bad_request(
                f"the API version in the data ({found.api_version}) does not match the expected API version "
                f"({self.expected.api_version})"
            )
        value: Any = decoded.value
        value.kind, value.apiVersion = self.expected.kind, self.expected.api_version
        return value, list(strict) if validation == "Warn" else []

    def _unfit(self, found: KindName, why: str) -> ApiError:
        expected = self.expected.kind
        return bad_request(f'{found.kind} in version "{found.version}" cannot be handled as a {expected}: {why}')

    def _unrecognized(self, why: str, body: bytes) -> ApiError:
        expected = self.expected.kind
        return bad_request(
            f"the object provided is unrecognized (must be of type {expected}): {why} ({summarized(body)})"
        )
