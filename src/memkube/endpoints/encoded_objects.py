"""Objects as clients encode them: each says what it is before it is decoded."""

from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from memkube.apimachinery.decoding import (
    Decoded,
    DecodeError,
    Form,
    YamlBody,
    parse_json,
    probe_type,
    read_yaml,
    unprobed,
)
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.protobuf import Envelope, Messages, open_envelope
from memkube.endpoints.media_types import PROTOBUF, YAML

M = TypeVar("M", bound=ApiModel)


class EncodedObject(Protocol):
    """An object that is not decoded yet."""

    @property
    def api_version(self) -> str:
        """The apiVersion that it names, "" where it names none."""

    @property
    def kind(self) -> str:
        """The kind that it names, "" where it names none."""

    def decode(self, form: Form[M]) -> Decoded[M]:
        """The object, and what strict decoding complains about. Raises DecodeError."""


@dataclass(frozen=True, slots=True)
class JsonData:
    """An object written as JSON or YAML, parsed; `text` is the JSON text, where there is one."""

    api_version: str
    kind: str
    data: Any
    text: bytes | None = None
    strict_errors: list[str] = field(default_factory=list)

    def decode(self, form: Form[M]) -> Decoded[M]:
        """See EncodedObject."""
        decoded = form.decode({} if self.data is None else self.data, self.text)
        return Decoded(decoded.value, [*self.strict_errors, *decoded.strict_errors])


@dataclass(frozen=True, slots=True)
class ProtobufMessage:
    """An object in protobuf, where nothing is unknown or there twice."""

    envelope: Envelope
    messages: Messages

    @property
    def api_version(self) -> str:
        """See EncodedObject."""
        return self.envelope.api_version

    @property
    def kind(self) -> str:
        """See EncodedObject."""
        return self.envelope.kind

    def decode(self, form: Form[M]) -> Decoded[M]:
        """See EncodedObject."""
        return Decoded(form.decode(self.messages.decode(form.struct, self.envelope.message)).value)


def read_object(body: bytes, media_type: str, messages: Messages) -> EncodedObject:
    """The object in a body of one of the media types that bodies may have. Raises DecodeError."""
    if media_type == PROTOBUF:
        return ProtobufMessage(open_envelope(body), messages)
    read = read_yaml(body) if media_type == YAML else _read_json(body)
    api_version, kind = probe_type(read.data)
    has_text = media_type != YAML and read.data is not None
    return JsonData(api_version, kind, read.data, body if has_text else None, read.strict_errors)


def _read_json(body: bytes) -> YamlBody:
    try:
        return YamlBody(parse_json(body))
    except DecodeError as error:
        raise unprobed(error.message) from None
