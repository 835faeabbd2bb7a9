"""CEL types, and their formatting for error messages (cel-go's ``common/types`` and ``checker/format.go``)."""

import re
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

from memkube.cel.syntax import Constant, Unsigned

Kind: TypeAlias = Literal[
    "any",
    "bool",
    "bytes",
    "double",
    "duration",
    "dyn",
    "error",
    "int",
    "list",
    "map",
    "null",
    "opaque",
    "param",
    "string",
    "struct",
    "timestamp",
    "type",
    "uint",
    "unspecified",
]


@dataclass(frozen=True, slots=True)
class Type:
    """A CEL type with its type parameters. ``str`` formats it as cel-go's ``Type.String`` does."""

    kind: Kind
    name: str
    parameters: tuple["Type", ...] = ()
    nullable: bool = field(default=False, compare=False)
    """True if null is a value of the scalar type, as for a Go field that is a pointer (cel-go's ``NullableType``).

    Values of objects, timestamps and durations can be null in any case. Types that differ only in this are equal.
    """

    def __str__(self) -> str:
        if self.kind == "param":
            return f"<{self.name}>"
        if not self.parameters:
            return self.name
        return f"{self.name}({', '.join(map(str, self.parameters))})"

    @property
    def checked(self) -> str:
        """Text of the type in the error messages of the type checker, such as ``list(int)``."""
        if self.kind in _WRITTEN:
            return _WRITTEN[self.kind]
        if not self.parameters:
            return self.name
        return f"{self.name}({', '.join(parameter.checked for parameter in self.parameters)})"

    @property
    def is_dyn(self) -> bool:
        """True if the type is ``dyn``, which accepts values of any type."""
        return self.kind in ("dyn", "any")


_WRITTEN: Final[dict[Kind, str]] = {
    "any": "any",
    "duration": "duration",
    "error": "!error!",
    "null": "null",
    "timestamp": "timestamp",
    "unspecified": "",
}

ANY: Final = Type("any", "google.protobuf.Any")
BOOL: Final = Type("bool", "bool")
BYTES: Final = Type("bytes", "bytes")
DOUBLE: Final = Type("double", "double")
DURATION: Final = Type("duration", "google.protobuf.Duration")
DYN: Final = Type("dyn", "dyn")
ERROR: Final = Type("error", "*error*")
INT: Final = Type("int", "int")
NULL: Final = Type("null", "null_type")
STRING: Final = Type("string", "string")
TIMESTAMP: Final = Type("timestamp", "google.protobuf.Timestamp")
TYPE: Final = Type("type", "type")
UINT: Final = Type("uint", "uint")
UNSPECIFIED: Final = Type("unspecified", "")
"""CEL type that Kubernetes gives to an unknown field of a JSONPatch."""

OPTIONAL: Final = "optional_type"
_BY_NAME: Final = {
    "any": ANY,
    "bool": BOOL,
    "bytes": BYTES,
    "double": DOUBLE,
    "duration": DURATION,
    "dyn": DYN,
    "int": INT,
    "null": NULL,
    "string": STRING,
    "timestamp": TIMESTAMP,
    "type": TYPE,
    "uint": UINT,
}
_words: Final = re.compile(r"[\w.]+|[(),]")


def type_of_value(value: Constant) -> Type:
    """Return the type of a literal value."""
    kinds = ((bool, BOOL), (Unsigned, UINT), (int, INT), (float, DOUBLE), (str, STRING), (bytes, BYTES))
    return next((known for kind, known in kinds if isinstance(value, kind)), NULL)


def list_of(item: Type) -> Type:
    """Return the type list(T), where T is the type `item`."""
    return Type("list", "list", (item,))


def map_of(key: Type, value: Type) -> Type:
    """Return the type map(K, V), where K is the type `key`, and V the type `value`."""
    return Type("map", "map", (key, value))


def type_of(instance: Type) -> Type:
    """Return the type of a type, such as ``type(int)`` for ``int``."""
    return Type("type", "type", (instance,))


def optional_of(value: Type) -> Type:
    """Return the type optional_type(T), where T is the type `value`."""
    return Type("opaque", OPTIONAL, (value,))


def struct(name: str) -> Type:
    """Return the CEL type of the objects of the object type with this name."""
    return Type("struct", name)


def opaque(name: str) -> Type:
    """Return the opaque type with this name. Only library functions can read its values."""
    return Type("opaque", name)


def parameter(name: str) -> Type:
    """Return a type parameter, for use in function signatures."""
    return Type("param", name)


def read_type(text: str) -> Type:
    """Parse the text of a type, such as ``map(string, list(A))``.

    Single capital letters are type parameters, and unknown names are object types.
    """
    words = _words.findall(text)
    words.reverse()
    return _read(words)


def _read(words: list[str]) -> Type:
    name = words.pop()
    parameters: list[Type] = []
    if words and words[-1] == "(":
        while words.pop() != ")":
            parameters.append(_read(words))
    if parameters:
        kinds: dict[str, Kind] = {"list": "list", "map": "map", "type": "type"}
        return Type(kinds.get(name, "opaque"), name, tuple(parameters))
    if len(name) == 1:
        return parameter(name)
    if name.startswith("net."):
        return opaque(name)
    return _BY_NAME.get(name) or struct(name)
