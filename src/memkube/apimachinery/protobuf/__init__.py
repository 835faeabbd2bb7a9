"""Objects in protobuf, as typed clients send them, read into the data that a JSON body would have held.

No input or output happens here, and nothing knows a single kind: the facts of their fields are handed in.
"""

from memkube.apimachinery.protobuf.envelope import Envelope, open_envelope
from memkube.apimachinery.protobuf.messages import Messages

__all__ = ["Envelope", "Messages", "open_envelope"]
