"""What stands around every object in protobuf: four magic bytes and a ``runtime.Unknown`` that names its type.

Source: apimachinery's ``runtime/serializer/protobuf/protobuf.go``.
"""

from dataclasses import dataclass
from typing import Any, Final

from memkube.apimachinery.decoding.errors import DecodeError
from memkube.apimachinery.protobuf.fields import Embedded, Message, Single
from memkube.apimachinery.protobuf.scalars import RAW_BYTES, STRING
from memkube.apimachinery.protobuf.wire import WireReader

_MAGIC: Final = b"k8s\x00"
_TYPE_META: Final = Message("TypeMeta", {1: Single("apiVersion", STRING), 2: Single("kind", STRING)})
_UNKNOWN: Final = Message("Unknown", {1: Embedded("typeMeta", _TYPE_META), 2: Single("raw", RAW_BYTES)})


@dataclass(frozen=True, slots=True)
class Envelope:
    """The apiVersion and the kind of an object, "" where it has none, and its message, still encoded."""

    api_version: str
    kind: str
    message: bytes


def open_envelope(body: bytes) -> Envelope:
    """What a body holds. Raises DecodeError with the reference's words."""
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
