"""Protobuf wire format, with the checks and errors of Kubernetes' generated code.

Source: gogo/protobuf's ``Unmarshal`` and ``skip`` methods, as in apimachinery's ``generated.pb.go``.
"""

from typing import Final

from memkube.apimachinery.decoding.errors import DecodeError

VARINT: Final = 0
FIXED64: Final = 1
BYTES: Final = 2
START_GROUP: Final = 3
END_GROUP: Final = 4
FIXED32: Final = 5

_VARINT_BITS: Final = 64
_UINT64: Final = 2**64 - 1
_INT64_LIMIT: Final = 2**63
_DEEPEST: Final = 100
"""Maximum nesting depth of messages, as in Google's protobuf libraries. No API type is nested this deeply."""
_ONE_BYTE: Final = tuple(bytes((value,)) for value in range(0x80))


def varint(value: int) -> bytes:
    """Encode an integer as a varint; a negative integer as 64-bit two's complement."""
    if 0 <= value < 0x80:
        return _ONE_BYTE[value]
    value &= _UINT64
    encoded = bytearray()
    while value > 0x7F:
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    encoded.append(value)
    return bytes(encoded)


def tag(number: int, wire_type: int) -> bytes:
    """Encode the tag that precedes a field's value: the field's number and its wire type."""
    return varint(number << 3 | wire_type)


def delimited(content: bytes) -> bytes:
    """Encode bytes as a length-delimited value: their length, then the bytes."""
    size = len(content)
    return (_ONE_BYTE[size] if size < 0x80 else varint(size)) + content


class WireReader:
    """Reads the fields of one message. Methods raise DecodeError for malformed data."""

    __slots__ = ("_at", "_data", "_depth", "_end", "_stop")

    def __init__(self, data: bytes, depth: int = 0) -> None:
        self._data = data
        self._at = 0
        self._end = self._stop = len(data)
        self._depth = depth

    @property
    def more(self) -> bool:
        """True if there are unread bytes."""
        return self._at < self._stop

    def tag(self, message: str) -> tuple[int, int]:
        """Read the number and wire type of the next field.

        `message` is the name of the message type, for error messages.
        """
        key = self.varint()
        number, wire_type = signed(key >> 3, 32), key & 7
        if wire_type == END_GROUP:
            raise DecodeError(f"proto: {message}: wiretype end group for non-group")
        if number <= 0:
            raise DecodeError(f"proto: {message}: illegal tag {number} (wire type {key})")
        return number, wire_type

    def varint(self) -> int:
        """Read an unsigned varint. Bits above the lowest 64 are dropped."""
        value = shift = 0
        data, at, end = self._data, self._at, self._end
        while shift < _VARINT_BITS:
            if at >= end:
                raise _cut_off()
            byte = data[at]
            at += 1
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                self._at = at
                return value & _UINT64
            shift += 7
        raise DecodeError("proto: integer overflow")

    def fixed(self, size: int) -> bytes:
        """Return the little-endian bytes of a 32-bit (`size` 4) or 64-bit (`size` 8) value, and skip them."""
        return self._take(size)

    def block(self) -> bytes:
        """Read a length-delimited field, and return its content."""
        return self._take(self.varint())

    def nested(self) -> "WireReader":
        """Return a reader for the message in a length-delimited field."""
        if self._depth >= _DEEPEST:
            raise DecodeError("proto: messages are nested too deeply")
        return WireReader(self.block(), self._depth + 1)

    def map_entry(self) -> "WireReader":
        """Return a reader for the entry of a map in a length-delimited field.

        As in the generated code, the values of the entry are bounded by the end of the message that contains the map,
        not by the end of the entry.
        """
        size = len(self.nested()._data)
        entry = WireReader(self._data, self._depth + 1)
        entry._at, entry._end, entry._stop = self._at - size, self._end, self._at
        return entry

    def entry_field(self) -> int:
        """Read the tag of a field in the entry of a map, and return its number: 1 for the key, or 2 for the value.

        Other fields are skipped; the result is then 0. Wire types are not checked.
        """
        key = self.varint()
        number = signed(key >> 3, 32)
        if number in (1, 2):
            return number
        self.skip(key & 7)
        if self._at > self._stop:
            raise _cut_off()
        return 0

    def skip(self, wire_type: int) -> None:
        """Skip the value of a field whose tag was read. If the tag starts a group, skip the whole group."""
        groups = 0
        while True:
            if wire_type == START_GROUP:
                groups += 1
            elif wire_type == END_GROUP:
                if groups == 0:
                    raise DecodeError("proto: unexpected end of group")
                groups -= 1
            else:
                self._skip_value(wire_type)
            if groups == 0:
                return
            wire_type = self.varint() & 7

    def _skip_value(self, wire_type: int) -> None:
        if wire_type == VARINT:
            self.varint()
        elif wire_type == BYTES:
            self.block()
        elif wire_type in (FIXED32, FIXED64):
            self._take(8 if wire_type == FIXED64 else 4)
        else:
            raise DecodeError(f"proto: illegal wireType {wire_type}")

    def _take(self, size: int) -> bytes:
        start, end = self._at, self._at + size
        if end >= _INT64_LIMIT:
            raise DecodeError("proto: negative length found during unmarshaling")
        if end > self._end:
            raise _cut_off()
        self._at = end
        return self._data[start:end]


def signed(value: int, bits: int) -> int:
    """Return the signed number that the lowest `bits` bits of `value` contain as two's complement."""
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def _cut_off() -> DecodeError:
    return DecodeError("unexpected EOF")
