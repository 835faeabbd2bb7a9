"""Envelope of protobuf objects: four magic bytes, and a ``runtime.Unknown`` with apiVersion and kind.

Source: apimachinery's ``runtime/serializer/protobuf/protobuf.go``.
"""

from functools import lru_cache
from typing import Any, Final, NamedTuple

from memkube.apimachinery.decoding.errors import DecodeError
from memkube.apimachinery.protobuf.fields import Embedded, Message, Single
from memkube.apimachinery.protobuf.scalars import RAW_BYTES, STRING
from memkube.apimachinery.protobuf.wire import BYTES, WireReader, delimited, tag, varint

_MAGIC: Final = b"k8s\x00"
_TYPE_META: Final = Message("TypeMeta", {1: Single("apiVersion", STRING), 2: Single("kind", STRING)})
_UNKNOWN: Final = Message(
    "Unknown",
    {
        1: Embedded("typeMeta", _TYPE_META),
        2: Single("raw", RAW_BYTES),
        3: Single("contentEncoding", STRING),
        4: Single("contentType", STRING),
    },
)
_MESSAGE: Final = tag(2, BYTES)
ENVELOPE_END: Final = b"".join(tag(number, BYTES) + delimited(b"") for number in (3, 4))
"""Last bytes of a protobuf envelope: the fields contentEncoding and contentType, both empty."""


class Envelope(NamedTuple):
    """Content of an envelope: apiVersion, kind, and the object encoded as protobuf.

    apiVersion and kind are "" if they are missing.
    """

    api_version: str
    kind: str
    message: bytes


def open_envelope(body: bytes) -> Envelope:
    """Parse the envelope of a request body. The encoded object in the envelope is not decoded.

    Raises DecodeError with Kubernetes' message if the envelope is malformed.
    """
    if not body:
        raise DecodeError("empty data")
    if not body.startswith(_MAGIC):
        expected = " ".join(str(byte) for byte in _MAGIC)
        raise DecodeError(f"provided data does not appear to be a protobuf message, expected prefix [{expected}]")
    if len(body) == len(_MAGIC):
        raise DecodeError("empty body")
    found: dict[str, Any] = _UNKNOWN.read(WireReader(body[len(_MAGIC) :]), {})
    api_version = found.get("apiVersion", "")
    readable = api_version.count("/") <= 1
    return Envelope(api_version if readable else "", found.get("kind", ""), found.get("raw", b""))


@lru_cache(maxsize=1024)
def envelope_start(api_version: str, kind: str) -> bytes:
    """Return the bytes of a protobuf envelope that precede the field with the encoded object."""
    type_meta = tag(1, BYTES) + delimited(api_version.encode()) + tag(2, BYTES) + delimited(kind.encode())
    return _MAGIC + tag(1, BYTES) + delimited(type_meta)


def message_field(message: bytes) -> bytes:
    """Encode a length-delimited field 2: the object in an envelope, or an item of a list.

    `message` is the object encoded as protobuf.
    """
    return _MESSAGE + delimited(message)


def message_start(size: int) -> bytes:
    """Return the start of the field that contains an encoded object of `size` bytes: its tag and length.

    The start and the encoded object together are the result of `message_field`.
    """
    return _MESSAGE + varint(size)


def enveloped(api_version: str, kind: str, message: bytes) -> bytes:
    """Return an envelope: the magic bytes, and a ``runtime.Unknown`` that contains the encoded object `message`."""
    return b"%s%s%s" % (envelope_start(api_version, kind), message_field(message), ENVELOPE_END)
