"""Decoders of protobuf messages. The decoder of a message type has a table of field decoders, which write JSON data."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Protocol, TypeAlias

from memkube.apimachinery.decoding.errors import DecodeError
from memkube.apimachinery.go_strings import go_string, replaced
from memkube.apimachinery.model import Document
from memkube.apimachinery.protobuf.wire import BYTES, WireReader

ReadValue: TypeAlias = Callable[[WireReader, Any], Any]
"""Function that decodes the value of a field, which it reads from a WireReader.

Its second argument is the value decoded from an earlier occurrence of the same field, or None.
"""


class Value(NamedTuple):
    """Decoder of the values of one type in protobuf, such as string or Time."""

    wire_type: int
    read: ReadValue
    zero: Callable[[], Any]
    """Function that returns the zero value of the type. A map entry has this value if protobuf omits the value."""


class Field(Protocol):
    """Decodes one field of a protobuf message, once for each occurrence of its number."""

    def read(self, reader: WireReader, wire_type: int, document: Document) -> None:
        """Decode one occurrence of the field into `document`, the JSON data of the message.

        `reader` is after the field's tag, from which `wire_type` was read. Raises DecodeError if the value is
        malformed.
        """


class Single(NamedTuple):
    """Decoder of a field that is not repeated.

    If the field occurs several times in a message, a later scalar replaces the earlier one, and later messages are
    merged into the earlier one.
    """

    name: str
    value: Value
    go_name: str = ""
    """Field name for error messages. If it is "", the JSON name is used."""

    def read(self, reader: WireReader, wire_type: int, document: Document) -> None:
        check_wire_type(wire_type, self.value, self.go_name or self.name)
        document[self.name] = self.value.read(reader, document.get(self.name))


class Repeated(NamedTuple):
    """Decoder of a repeated field: each occurrence is one item, or several packed numbers."""

    name: str
    item: Value
    go_name: str = ""
    """Field name for error messages. If it is "", the JSON name is used."""

    def read(self, reader: WireReader, wire_type: int, document: Document) -> None:
        items = document.setdefault(self.name, [])
        if wire_type == BYTES != self.item.wire_type:
            packed = reader.nested()
            while packed.more:
                items.append(self.item.read(packed, None))
        else:
            check_wire_type(wire_type, self.item, self.go_name or self.name)
            items.append(self.item.read(reader, None))


class Map(NamedTuple):
    """Decoder of a map field: each occurrence is a message with the key (field 1) and the value (field 2)."""

    name: str
    value: Value
    go_name: str = ""
    """Field name for error messages. If it is "", the JSON name is used."""

    def read(self, reader: WireReader, wire_type: int, document: Document) -> None:
        if wire_type != BYTES:
            raise wrong_wire_type(wire_type, self.go_name or self.name)
        entry = reader.map_entry()
        key, value = "", None
        while entry.more:
            number = entry.entry_field()
            if number == 1:
                key = text(entry.block())
            elif number == 2:
                value = self.value.read(entry, None)
        document.setdefault(self.name, {})[key] = self.value.zero() if value is None else value


class Embedded(NamedTuple):
    """Decoder of a field for an embedded Go struct. JSON inlines the fields of this struct."""

    name: str
    message: "Message"

    def read(self, reader: WireReader, wire_type: int, document: Document) -> None:
        if wire_type != BYTES:
            raise wrong_wire_type(wire_type, self.name)
        self.message.read(reader.nested(), document)


class Message(NamedTuple):
    """Decoder of a message type. Fields with unknown numbers are skipped."""

    name: str
    fields: Mapping[int, Field]

    def read(self, reader: WireReader, document: Document) -> Document:
        """Decode all fields of a message into `document`, and return `document`.

        Raises DecodeError if the message is malformed.
        """
        fields = self.fields
        while reader.more:
            number, wire_type = reader.tag(self.name)
            field = fields.get(number)
            if field is None:
                reader.skip(wire_type)
            else:
                field.read(reader, wire_type, document)
        return document


def text(data: bytes) -> str:
    """Decode a string; each invalid byte becomes U+FFFD, as in Go's JSON."""
    return replaced(go_string(data))


def check_wire_type(wire_type: int, value: Value, name: str) -> None:
    """Raise DecodeError if a field `name` was read with another wire type than that of its decoder `value`."""
    if wire_type != value.wire_type:
        raise wrong_wire_type(wire_type, name)


def wrong_wire_type(wire_type: int, name: str) -> DecodeError:
    """Return the error for a protobuf field whose tag has `wire_type`, which is not the wire type of the field.

    `name` is the field's name in JSON. In the text of the error it begins with a capital letter, as in Go.
    """
    return DecodeError(f"proto: wrong wireType = {wire_type} for field {name[:1].upper()}{name[1:]}")
