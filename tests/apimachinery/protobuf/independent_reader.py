"""Reads messages with Google's protobuf library, with message types built from the tables of field facts.

The tables are also used by the tested code. They are compared with Kubernetes' ``generated.proto`` when they are made.
"""

from base64 import b64encode
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any, Final

import orjson
from google.protobuf.descriptor_pb2 import DescriptorProto, FieldDescriptorProto, FileDescriptorProto
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from memkube.apimachinery.field_facts import FieldFacts, GoPackage, go_package

_MAGIC: Final = b"k8s\x00"
META: Final = "k8s.io/apimachinery/pkg/apis/meta/v1"
_MACHINERY: Final = "k8s.io/apimachinery/pkg"
_SCALARS: Final = {
    "string": FieldDescriptorProto.TYPE_STRING,
    "bool": FieldDescriptorProto.TYPE_BOOL,
    "int32": FieldDescriptorProto.TYPE_INT32,
    "int64": FieldDescriptorProto.TYPE_INT64,
    "float64": FieldDescriptorProto.TYPE_DOUBLE,
    "[]byte": FieldDescriptorProto.TYPE_BYTES,
}
_INLINE: Final = "inline"
_WRAPPED: Final = "WrappedItems"
_UNIONS: Final = frozenset({"JSONSchemaPropsOrArray", "JSONSchemaPropsOrBool", "JSONSchemaPropsOrStringArray"})
_BY_HAND: Final[Mapping[str, str]] = {
    "Quantity": "String string 1",
    "Time": "Seconds int64 1, Nanos int32 2",
    "MicroTime": "Seconds int64 1, Nanos int32 2",
    "RawExtension": "Raw []byte 1",
    "FieldsV1": "Raw []byte 1",
}
"""Definitions of messages whose fields no Go struct declares, by name."""


def read(path: str, name: str, data: bytes) -> Message:
    """Parse the message of a Go struct. Raises AssertionError if the bytes contain an unknown field."""
    found = _message_class(path, name)()
    assert found.ParseFromString(data) == len(data)
    assert found.SerializePartialToString(deterministic=True) == data, "fields are unknown, or in another order"
    return found


def opened(body: bytes) -> tuple[str, str, bytes]:
    """Return the apiVersion, the kind and the message in a protobuf body."""
    assert body.startswith(_MAGIC)
    envelope: Any = read(f"{_MACHINERY}/runtime", "Unknown", body.removeprefix(_MAGIC))
    assert envelope.HasField("ContentEncoding")
    assert envelope.HasField("ContentType")
    return envelope.TypeMeta.APIVersion, envelope.TypeMeta.Kind, envelope.Raw


def shown(message: Message) -> Any:
    """Return a message as JSON data without members that are zero, false or empty.

    JSON omits some of these members, so they are left out of comparisons.
    """
    name = message.DESCRIPTOR.name.rpartition("__")[2]
    fields = {descriptor.name: value for descriptor, value in message.ListFields()}
    if name in ("Time", "MicroTime"):
        return _instant(fields, micro=name == "MicroTime")
    if name == "IntOrString":
        return fields["StrVal"] if fields["Type"] else fields["IntVal"]
    if name == "Quantity":
        return fields["String"]
    if name in ("RawExtension", "FieldsV1", "JSON"):
        return pruned(orjson.loads(fields["Raw"])) if fields else None
    if list(fields) == [_WRAPPED]:
        return list(fields[_WRAPPED])
    if name in _UNIONS:
        return _either(fields)
    return pruned(dict(_members(message)))


def _either(fields: Mapping[str, Any]) -> Any:
    """Return the value of a union message, such as JSONSchemaPropsOrBool.

    This is the field Schema if it is set, otherwise the last field.
    """
    found = fields.get("Schema", [*fields.values()][-1])
    return _plain(found) if isinstance(found, bool | Message) else [_plain(item) for item in found]


def pruned(value: Any) -> Any:
    """Return JSON data without members that are zero, false or empty. Zero quantities are removed too."""
    if isinstance(value, dict):
        inside = {key: pruned(item) for key, item in value.items()}
        return {key: item for key, item in inside.items() if item and item != "0"}
    return [pruned(item) for item in value] if isinstance(value, list) else value


def _members(message: Message) -> Iterator[tuple[str, Any]]:
    for descriptor, value in message.ListFields():
        if descriptor.json_name == _INLINE:
            yield from shown(value).items()
        elif descriptor.message_type is not None and descriptor.message_type.containing_type is not None:
            yield descriptor.json_name, {entry.key: _plain(entry.value) for entry in value}
        elif descriptor.is_repeated:
            yield descriptor.json_name, [_plain(item) for item in value]
        else:
            yield descriptor.json_name, _plain(value)


def _plain(value: Any) -> Any:
    if isinstance(value, Message):
        return shown(value)
    return b64encode(value).decode() if isinstance(value, bytes) else value


def _instant(fields: Mapping[str, int], *, micro: bool) -> str | None:
    if not fields:
        return None
    instant = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(
        seconds=fields["Seconds"], microseconds=fields["Nanos"] // 1000
    )
    return instant.strftime("%Y-%m-%dT%H:%M:%S.%fZ" if micro else "%Y-%m-%dT%H:%M:%SZ")


@cache
def _message_class(path: str, name: str) -> type[Message]:
    file = FileDescriptorProto(name=f"{path}/{name}.proto", syntax="proto2")
    _Types(file).add(path, name)
    pool = DescriptorPool()
    pool.Add(file)
    found: type[Message] = GetMessageClass(pool.FindMessageTypeByName(_type_name(path, name)))
    return found


def _type_name(path: str, name: str) -> str:
    return f"{path.replace('/', '_').replace('.', '_').replace('-', '_')}__{name}"


class _Types:
    """Adds the message types that a struct needs to one protobuf file."""

    def __init__(self, file: FileDescriptorProto) -> None:
        self._file = file
        self._known: set[str] = set()

    def add(self, path: str, name: str) -> str:
        """Add the message type of a struct, and return its full name."""
        full = _type_name(path, name)
        if full not in self._known:
            self._known.add(full)
            described = self._file.message_type.add(name=full)
            package = go_package(path)
            for facts in _fields(package, name):
                if facts.number is not None:
                    self._field(described, package, facts)
        return f".{full}"

    def _field(self, described: DescriptorProto, package: GoPackage, facts: FieldFacts) -> None:
        field = described.field.add(name=facts.go_name, number=facts.number, label=FieldDescriptorProto.LABEL_OPTIONAL)
        field.json_name = facts.go_name if facts.name == "-" else facts.name or _INLINE
        self._type(field, described, package, facts.go_type.removeprefix("*"))

    def _type(self, field: FieldDescriptorProto, described: DescriptorProto, package: GoPackage, go_type: str) -> None:
        if go_type in _SCALARS:
            field.type = _SCALARS[go_type]
        elif go_type.startswith("map["):
            self._map(field, described, package, go_type.partition("]")[2])
        elif go_type.startswith("[]"):
            self._type(field, described, package, go_type.removeprefix("[]"))
            field.label = FieldDescriptorProto.LABEL_REPEATED
        else:
            path, name = package.resolve(go_type)
            declaring = go_package(path)
            if name in declaring.types and name not in declaring.wrapped:
                self._type(field, described, declaring, declaring.types[name])
            else:
                field.type, field.type_name = FieldDescriptorProto.TYPE_MESSAGE, self.add(path, name)

    def _map(self, field: FieldDescriptorProto, described: DescriptorProto, package: GoPackage, values: str) -> None:
        """Declare a map field as a list of entry messages, so that tests can see the order of the entries."""
        entry = described.nested_type.add(name=f"Entry{field.number}")
        optional = FieldDescriptorProto.LABEL_OPTIONAL
        entry.field.add(name="key", number=1, label=optional, type=FieldDescriptorProto.TYPE_STRING)
        self._type(entry.field.add(name="value", number=2, label=optional), entry, package, values)
        field.label, field.type = FieldDescriptorProto.LABEL_REPEATED, FieldDescriptorProto.TYPE_MESSAGE
        field.type_name = f".{described.name}.{entry.name}"


def _fields(package: GoPackage, name: str) -> tuple[FieldFacts, ...]:
    if name in package.wrapped:
        return (FieldFacts(_WRAPPED, _WRAPPED, package.types[name], 1, always=False, omit_zero=False),)
    if name in _BY_HAND:
        words = (text.split(" ") for text in _BY_HAND[name].split(", "))
        return tuple(FieldFacts(w[0], w[0], w[1], int(w[2]), always=True, omit_zero=False) for w in words)
    return package.fields(name)
