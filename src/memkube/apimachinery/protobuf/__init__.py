"""Protobuf encoding of objects: decoded into JSON data, and encoded from it.

This package does no I/O and knows no API kind; callers provide the field facts.
"""

from memkube.apimachinery.protobuf.envelope import (
    ENVELOPE_END,
    Envelope,
    envelope_start,
    enveloped,
    message_field,
    message_start,
    open_envelope,
)
from memkube.apimachinery.protobuf.messages import Messages

__all__ = [
    "ENVELOPE_END",
    "Envelope",
    "Messages",
    "envelope_start",
    "enveloped",
    "message_field",
    "message_start",
    "open_envelope",
]
