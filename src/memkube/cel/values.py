"""CEL values (cel-go's ``common/types``).

Where possible, CEL values are Python's bool, int, float, str, bytes, None, list and dict. A ``uint`` is an `Unsigned`;
lists and maps in JSON data with a schema are a `ListValue` or `MapValue`. Values are never modified.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Final, TypeAlias

from memkube.cel.errors import EvaluationError, no_such_overload
from memkube.cel.syntax import Unsigned

Value: TypeAlias = object
"""Type of a CEL value in Python, which is one of the types that the module docstring lists."""

MIN_INT: Final = -(2**63)
MAX_INT: Final = 2**63 - 1
MAX_UINT: Final = 2**64 - 1
NANOSECONDS: Final = 1_000_000_000
MIN_SECOND: Final = -62_135_596_800
MAX_SECOND: Final = 253_402_300_799


class Missing:
    """Class of the constant MISSING, which functions return if a field, key or variable has no value."""

    __slots__ = ()


MISSING: Final = Missing()


@dataclass(frozen=True, slots=True, order=True)
class Duration:
    """A duration in nanoseconds, within 64 bits."""

    nanoseconds: int


@dataclass(frozen=True, slots=True, eq=False)
class Timestamp:
    """A time in nanoseconds since 1970, with the UTC offset of its local time."""

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
    """An optional value. Reading `value` raises EvaluationError if the optional is empty."""

    _held: Value = MISSING

    @property
    def present(self) -> bool:
        """True if the optional has a value."""
        return self._held is not MISSING

    @property
    def value(self) -> Value:
        """The value inside the optional. Raises EvaluationError if the optional is empty."""
        if self._held is MISSING:
            raise EvaluationError("optional.none() dereference")
        return self._held


NONE: Final = Optional()


@dataclass(frozen=True, slots=True)
class TypeValue:
    """A CEL type as a value, identified by its run-time name without type parameters."""

    name: str


class Opaque:
    """Base class of CEL values that only the functions of one library can use, such as IP addresses."""

    type_name: ClassVar[str]

    @property
    def size(self) -> int:
        """Size of the value, from which the costs of functions are calculated."""
        return 1


class DocumentValue:
    """A CEL value that reads JSON data by its schema without copying it."""

    __slots__ = ()

    @property
    def document(self) -> object:
        """The JSON data that the value reads, which must not be modified."""
        raise NotImplementedError


class ListValue(DocumentValue):
    """A list in JSON data, used like a Python list.

    Reading an item that does not match its schema raises EvaluationError.
    """

    __slots__ = ()

    def __len__(self) -> int:
        raise NotImplementedError

    def __getitem__(self, index: int) -> Value:
        raise NotImplementedError

    def __iter__(self) -> Iterator[Value]:
        return (self[index] for index in range(len(self)))

    def each(self) -> Iterator[Value]:
        """Yield the items of the list. For an item that does not match its schema, yield an EvaluationError."""
        raise NotImplementedError

    def equals(self, other: Value) -> bool:
        """Return True if CEL's ``this == other`` holds. Raises EvaluationError if items cannot be compared."""
        raise NotImplementedError

    def plus(self, other: Value) -> Value:
        """Evaluate CEL's ``+`` with this list as left operand. Raises EvaluationError if `other` is not a list."""
        raise NotImplementedError

    def holds(self, value: Value) -> bool:
        """Return True if `value` is an item of this list, as CEL's ``in`` decides.

        Raises EvaluationError if an item does not match its schema.
        """
        raise NotImplementedError


class MapValue(DocumentValue):
    """A map or object that reads JSON data; iteration yields its keys."""

    __slots__ = ()

    def __len__(self) -> int:
        raise NotImplementedError

    def __iter__(self) -> Iterator[str]:
        raise NotImplementedError

    def find(self, key: Value) -> Value:
        """Return the value for a key; MISSING if the key is absent.

        Raises EvaluationError if the value does not match its schema.
        """
        raise NotImplementedError

    def has(self, key: Value) -> bool:
        """Return True if the key is present, as CEL's ``has`` and ``in`` decide.

        By default, these are the keys that `find` finds. In a Go struct, `find` also finds fields that are not set.
        """
        return self.find(key) is not MISSING

    def equals(self, other: Value) -> bool:
        """Return True if CEL's ``this == other`` holds. Raises EvaluationError if values cannot be compared."""
        raise NotImplementedError


class Preserved(DocumentValue):
    """JSON data under ``x-kubernetes-preserve-unknown-fields`` without a schema. Expressions can only compare it."""

    __slots__ = ("_document",)

    def __init__(self, document: object) -> None:
        self._document = document

    @property
    def document(self) -> object:
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
    """Return the run-time name of the value's CEL type, such as ``int``, ``map`` or ``google.protobuf.Timestamp``."""
    known = _KINDS.get(type(value))
    if known is not None:
        return known
    if isinstance(value, Opaque):
        return value.type_name
    if isinstance(value, ListValue):
        return "list"
    return "unknown" if isinstance(value, Preserved) else "map"


def unsupported(function: str, value: Value) -> EvaluationError:
    """Return the error for an operand of a type that `function`, a CEL function or operator, does not support.

    As in cel-go, the message omits the function for some types.
    """
    return no_such_overload("" if isinstance(value, str | Timestamp | Duration) else function)


def is_list(value: Value) -> bool:
    """True if a CEL value is a list: a Python list or a ListValue."""
    return isinstance(value, list | ListValue)


def is_map(value: Value) -> bool:
    """True if a CEL value is a map: a dictionary or a MapValue."""
    return isinstance(value, dict | MapValue)


def checked_int(number: int) -> int:
    """Return the number unchanged. Raises EvaluationError if it does not fit into a CEL ``int``."""
    if MIN_INT <= number <= MAX_INT:
        return number
    raise EvaluationError("integer overflow")


def checked_uint(number: int) -> Unsigned:
    """Return the number as a CEL ``uint``. Raises EvaluationError if it is negative or needs more than 64 bits."""
    if 0 <= number <= MAX_UINT:
        return Unsigned(number)
    raise EvaluationError("unsigned integer overflow")


def checked_timestamp(nanoseconds: int, offset_seconds: int = 0) -> Timestamp:
    """Create a timestamp. Raises EvaluationError if its year is not in the range 1 to 9999."""
    if MIN_SECOND <= nanoseconds // NANOSECONDS <= MAX_SECOND:
        return Timestamp(nanoseconds, offset_seconds)
    raise EvaluationError("timestamp overflow")
