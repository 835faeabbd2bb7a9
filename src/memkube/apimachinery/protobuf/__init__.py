"""Conversion of objects between JSON data and protobuf.

This package does no I/O and contains no code for particular kinds; its callers provide the Go declarations of the
kinds' fields.
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
