"""Frames of SPDY/3.1 and their encoding (SPDY protocol draft 3.1, sections 2.2 and 2.6)."""

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Final, TypeAlias

from memkube.endpoints.streams.spdy_headers import HeaderCompressor, HeaderDecompressor, Headers, MalformedFrame

VERSION: Final = 3
LARGEST_DATA: Final = 64 * 1024
"""Maximum number of bytes in a data frame that this server sends."""
_LONGEST_FRAME: Final = 4 * 1024 * 1024
_HEAD: Final = struct.Struct(">II")
_TWO_WORDS: Final = struct.Struct(">II")
_WORD: Final = struct.Struct(">I")
_CONTROL: Final = 0x8000_0000
_ID: Final = 0x7FFF_FFFF
_FIN: Final = 0x01


class ControlType(IntEnum):
    """Types of the control frames that this server sends or understands."""

    SYN_STREAM = 1
    SYN_REPLY = 2
    RST_STREAM = 3
    PING = 6
    GOAWAY = 7
    HEADERS = 8


class ResetStatus(IntEnum):
    """Reasons for resetting a stream."""

    PROTOCOL_ERROR = 1
    CANCEL = 5


@dataclass(frozen=True, slots=True)
class SynStream:
    """Frame that opens a stream."""

    stream: int
    headers: Headers
    fin: bool = False


@dataclass(frozen=True, slots=True)
class SynReply:
    """Frame that accepts a stream."""

    stream: int
    headers: Headers = field(default_factory=dict)
    fin: bool = False


@dataclass(frozen=True, slots=True)
class RstStream:
    """Frame that ends a stream in both directions."""

    stream: int
    status: int


@dataclass(frozen=True, slots=True)
class Ping:
    """Frame that the receiver sends back unchanged."""

    number: int


@dataclass(frozen=True, slots=True)
class GoAway:
    """Frame that announces that no more streams are accepted."""

    last_stream: int = 0


@dataclass(frozen=True, slots=True)
class Data:
    """Frame with bytes of one stream."""

    stream: int
    data: bytes
    fin: bool = False


Frame: TypeAlias = SynStream | SynReply | RstStream | Ping | GoAway | Data


class FrameReader:
    """Splits received bytes into SPDY frames.

    Frames that this server does not need (SETTINGS, WINDOW_UPDATE) are skipped.
    """

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._headers = HeaderDecompressor()

    def feed(self, data: bytes) -> Iterator[Frame]:
        """Add received bytes, and yield the frames that are complete.

        Raises MalformedFrame for bytes that are not SPDY/3.1. After that, the reader must not be used any more.
        """
        self._buffer += data
        while len(self._buffer) >= _HEAD.size:
            first, second = _HEAD.unpack_from(self._buffer)
            flags, length = second >> 24, second & 0xFF_FFFF
            if length > _LONGEST_FRAME:
                raise MalformedFrame(f"SPDY: a frame has {length} bytes, which is too much")
            end = _HEAD.size + length
            if len(self._buffer) < end:
                return
            payload = bytes(memoryview(self._buffer)[_HEAD.size : end])
            del self._buffer[:end]
            if not first & _CONTROL:
                yield Data(first, payload, bool(flags & _FIN))
                continue
            if (first >> 16) & 0x7FFF != VERSION:
                raise MalformedFrame("SPDY: a frame is not of version 3.1")
            frame = self._control(first & 0xFFFF, bool(flags & _FIN), payload)
            if frame is not None:
                yield frame

    def _control(self, kind: int, fin: bool, payload: bytes) -> Frame | None:
        try:
            match kind:
                case ControlType.SYN_STREAM:
                    return SynStream(_word(payload), self._headers.decompress(payload[10:]), fin)
                case ControlType.SYN_REPLY:
                    return SynReply(_word(payload), self._headers.decompress(payload[4:]), fin)
                case ControlType.HEADERS:
                    # The headers are decompressed although the frame is ignored, because the decompressor needs all
                    # header blocks in order.
                    self._headers.decompress(payload[4:])
                case ControlType.RST_STREAM:
                    return RstStream(*_TWO_WORDS.unpack(payload))
                case ControlType.PING:
                    return Ping(*_WORD.unpack(payload))
                case ControlType.GOAWAY:
                    return GoAway(_word(payload))
        except struct.error:
            raise MalformedFrame("SPDY: a frame is too short or too long") from None
        return None


class FrameWriter:
    """Encodes SPDY frames. They must be sent in the order in which they were encoded."""

    def __init__(self) -> None:
        self._headers = HeaderCompressor()

    def write(self, frame: Frame) -> bytes:
        """Return the bytes of a frame."""
        match frame:
            case SynStream(stream, headers, fin):
                return _control(ControlType.SYN_STREAM, struct.pack(">IIH", stream, 0, 0) + self._pack(headers), fin)
            case SynReply(stream, headers, fin):
                return _control(ControlType.SYN_REPLY, _WORD.pack(stream) + self._pack(headers), fin)
            case RstStream(stream, status):
                return _control(ControlType.RST_STREAM, _TWO_WORDS.pack(stream, status))
            case Ping(number):
                return _control(ControlType.PING, _WORD.pack(number))
            case GoAway(last):
                return _control(ControlType.GOAWAY, _TWO_WORDS.pack(last, 0))
            case Data(stream, data, fin):
                return _HEAD.pack(stream, _FIN << 24 | len(data) if fin else len(data)) + data

    def _pack(self, headers: Headers) -> bytes:
        return self._headers.compress(headers)


def _control(kind: ControlType, payload: bytes, fin: bool = False) -> bytes:
    return _HEAD.pack(_CONTROL | VERSION << 16 | kind, (_FIN << 24 if fin else 0) | len(payload)) + payload


def _word(payload: bytes) -> int:
    word: int = _WORD.unpack_from(payload)[0]
    return word & _ID
