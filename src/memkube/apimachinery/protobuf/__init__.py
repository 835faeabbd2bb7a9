"""Objects in protobuf, as typed clients send and ask for them: read into the data of a JSON body, and written from it.

No input or output happens here, and nothing knows a single kind: the facts of their fields are handed in.
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
