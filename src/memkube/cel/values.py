"""What expressions are evaluated to (cel-go's ``common/types``).

Values are Python's own wherever there is one: bool, int, float, str, bytes, None, list and dict. A ``uint`` is an
`Unsigned`; what is under a schema is a `ListValue` or a `MapValue`. Values are never changed.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Final, TypeAlias

from memkube.cel.errors import EvaluationError, no_such_overload
from memkube.cel.syntax import Unsigned

Value: TypeAlias = object
"""Any of them."""

LEAST_INT: Final = -(2**63)
MOST_INT: Final = 2**63 - 1
MOST_UINT: Final = 2**64 - 1
NANOSECONDS: Final = 1_000_000_000
LEAST_SECOND: Final = -62_135_596_800
MOST_SECOND: Final = 253_402_300_799


class Missing:
    """What is looked for is not there."""

    __slots__ = ()


MISSING: Final = Missing()


@dataclass(frozen=True, slots=True, order=True)
class Duration:
    """A span of time in nanoseconds, which fit into 64 bits."""

    nanoseconds: int


@dataclass(frozen=True, slots=True, eq=False)
class Timestamp:
    """A moment, in nanoseconds since 1970, and how far east of UTC the clock was that it was read from."""

    nanoseconds: int
    offset_seconds: int = 0

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Timestamp) and self.nanoseconds == other.nanoseconds

    def __hash__(self) -> int:
        return hash(self.nanoseconds)

    def __lt__(self, other: "Timestamp") -> bool:
        return self.nanoseconds < other.nanoseconds


@dataclass(frozen=True, slots=True, eq=False)
class Optional:
    """A value that may be left out. Reading the value of none raises EvaluationError."""

    _held: Value = MISSING

    @property
    def present(self) -> bool:
        """Whether there is a value."""
        return self._held is not MISSING

    @property
    def value(self) -> Value:
        """The value."""
        if self._held is MISSING:
            raise EvaluationError("optional.none() dereference")
        return self._held


NONE: Final = Optional()


@dataclass(frozen=True, slots=True)
class TypeValue:
    """A type as a value, by its name at run time: parameters are not part of it."""

    name: str


class Opaque:
    """A value that only functions of its library look into. Equality is the class's own."""

    type_name: ClassVar[str]

    @property
    def size(self) -> int:
        """What costs go by."""
        return 1


class Held:
    """A part of a document, seen under its schema."""

    __slots__ = ()

    @property
    def document(self) -> object:
        """The part as it is, which nobody changes."""
        raise NotImplementedError


class ListValue(Held):
    """A list that is not Python's: it is read like one. Items that do not fit their schema raise EvaluationError."""

    __slots__ = ()

    def __len__(self) -> int:
        raise NotImplementedError

    def __getitem__(self, index: int) -> Value:
        raise NotImplementedError

    def __iter__(self) -> Iterator[Value]:
        return (self[index] for index in range(len(self)))

    def each(self) -> Iterator[Value]:
        """The items, with an EvaluationError in the place of those that do not fit."""
        raise NotImplementedError

    def equals(self, other: Value) -> bool:
        """CEL's ``==`` with this on the left. Raises EvaluationError."""
        raise NotImplementedError

    def plus(self, other: Value) -> Value:
        """CEL's ``+`` with this on the left. Raises EvaluationError."""
        raise NotImplementedError

    def holds(self, value: Value) -> bool:
        """CEL's ``in`` with this on the right. Raises EvaluationError."""
        raise NotImplementedError


class MapValue(Held):
    """A map or an object that is not Python's; iterating gives its keys."""

    __slots__ = ()

    def __len__(self) -> int:
        raise NotImplementedError

    def __iter__(self) -> Iterator[str]:
        raise NotImplementedError

    def find(self, key: Value) -> Value:
        """The value of a key, or MISSING. Raises EvaluationError."""
        raise NotImplementedError

    def equals(self, other: Value) -> bool:
        """CEL's ``==`` with this on the left. Raises EvaluationError."""
        raise NotImplementedError


class Preserved(Held):
    """What a schema preserves and does not know; it can only be compared."""

    __slots__ = ("_document",)

    def __init__(self, document: object) -> None:
        self._document = document

    @property
    def document(self) -> object:
        """See Held."""
        return self._document


_KINDS: Final[dict[type, str]] = {
    bool: "bool",
    int: "int",
    Unsigned: "uint",
    float: "double",
    str: "string",
    bytes: "bytes",
    type(None): "null_type",
    list: "list",
    dict: "map",
    Timestamp: "google.protobuf.Timestamp",
    Duration: "google.protobuf.Duration",
    Optional: "optional_type",
    TypeValue: "type",
}


def kind_of(value: Value) -> str:
    """The name of the value's type at run time."""
    known = _KINDS.get(type(value))
    if known is not None:
        return known
    if isinstance(value, Opaque):
        return value.type_name
    if isinstance(value, ListValue):
        return "list"
    return "unknown" if isinstance(value, Preserved) else "map"


def unsupported(function: str, value: Value) -> EvaluationError:
    """What a function says of a kind that it does not know; kinds with functions of their own do not name it."""
    return no_such_overload("" if isinstance(value, str | Timestamp | Duration) else function)


def is_list(value: Value) -> bool:
    """Whether it is a list of either sort."""
    return isinstance(value, list | ListValue)


def is_map(value: Value) -> bool:
    """Whether it is a map or an object of either sort."""
    return isinstance(value, dict | MapValue)


def checked_int(number: int) -> int:
    """The number, if it is an ``int``. Raises EvaluationError."""
    if LEAST_INT <= number <= MOST_INT:
        return number
    raise EvaluationError("integer overflow")


def checked_uint(number: int) -> Unsigned:
    """The number as a ``uint``. Raises EvaluationError."""
    if 0 <= number <= MOST_UINT:
        return Unsigned(number)
    raise EvaluationError("unsigned integer overflow")


def checked_timestamp(nanoseconds: int, offset_seconds: int = 0) -> Timestamp:
    """The moment, if it lies in the years one to 9999. Raises EvaluationError."""
    if LEAST_SECOND <= nanoseconds // NANOSECONDS <= MOST_SECOND:
        return Timestamp(nanoseconds, offset_seconds)
    raise EvaluationError("timestamp overflow")
