"""Messages as tables of fields: how each field's value gets from the wire into a document."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from memkube.apimachinery.decoding.errors import DecodeError
from memkube.apimachinery.model import Document
from memkube.apimachinery.protobuf.wire import BYTES, WireReader

ReadValue: TypeAlias = Callable[[WireReader, Any], Any]
"""Reads a value; what an earlier field of the same number has left is the second argument."""


@dataclass(frozen=True, slots=True)
class Value:
    """How values of one type are encoded."""

    wire_type: int
    read: ReadValue
    zero: Callable[[], Any]
    """What a map holds for a key without a value."""


class Field(Protocol):
    """What one field number of a message stands for."""

    def read(self, reader: WireReader, wire_type: int, document: Document) -> None:
        """Puts the value that follows into the message's document. Raises DecodeError."""


@dataclass(frozen=True, slots=True)
class Single:
    """A field with one value; of several, scalars replace each other and messages are merged."""

    name: str
    value: Value
    go_name: str = ""
    """How errors name the field, where that does not follow from its name in JSON."""

    def read(self, reader: WireReader, wire_type: int, document: Document) -> None:
        """See Field."""
        check_wire_type(wire_type, self.value, self.go_name or self.name)
        document[self.name] = self.value.read(reader, document.get(self.name))


@dataclass(frozen=True, slots=True)
class Repeated:
    """A field with an item for each time it occurs, or with many packed numbers."""

    name: str
    item: Value
    go_name: str = ""
    """How errors name the field, where that does not follow from its name in JSON."""

    def read(self, reader: WireReader, wire_type: int, document: Document) -> None:
        """See Field."""
        items = document.setdefault(self.name, [])
        if wire_type == BYTES != self.item.wire_type:
            packed = reader.nested()
            while packed.more:
                items.append(self.item.read(packed, None))
        else:
            check_wire_type(wire_type, self.item, self.go_name or self.name)
            items.append(self.item.read(reader, None))


@dataclass(frozen=True, slots=True)
class Map:
    """A field with an entry for each time it occurs: a message of a key (1) and a value (2)."""

    name: str
    value: Value
    go_name: str = ""
    """How errors name the field, where that does not follow from its name in JSON."""

    def read(self, reader: WireReader, wire_type: int, document: Document) -> None:
        """See Field."""
        if wire_type != BYTES:
            raise wrong_wire_type(wire_type, self.go_name or self.name)
        entry = reader.nested()
        key, value = "", None
        while entry.more:
            number, inner = entry.tag(self.name)
            if number == 1:
                key = text(entry.block())
            elif number == 2:
                value = self.value.read(entry, None)
            else:
                entry.skip(inner)
        document.setdefault(self.name, {})[key] = self.value.zero() if value is None else value


@dataclass(frozen=True, slots=True)
class Embedded:
    """A message whose fields JSON shows among those of the message around it."""

    name: str
    message: "Message"

    def read(self, reader: WireReader, wire_type: int, document: Document) -> None:
        """See Field."""
        if wire_type != BYTES:
            raise wrong_wire_type(wire_type, self.name)
        self.message.read(reader.nested(), document)


@dataclass(frozen=True, slots=True)
class Message:
    """A message type; fields of other numbers are skipped."""

    name: str
    fields: Mapping[int, Field]

    def read(self, reader: WireReader, document: Document) -> Document:
        """The document with all fields that the reader has. Raises DecodeError."""
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
    """A string; like in Go's JSON, each byte that is no UTF-8 becomes U+FFFD."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        escaped = data.decode(errors="surrogateescape")
        return "".join("\ufffd" if "\udc80" <= character <= "\udcff" else character for character in escaped)


def check_wire_type(wire_type: int, value: Value, name: str) -> None:
    """Raises DecodeError for a value that is not encoded as its type is."""
    if wire_type != value.wire_type:
        raise wrong_wire_type(wire_type, name)


def wrong_wire_type(wire_type: int, name: str) -> DecodeError:
    """The error for a field that is encoded as none of its values is."""
    return DecodeError(f"proto: wrong wireType = {wire_type} for field {name[:1].upper()}{name[1:]}")
