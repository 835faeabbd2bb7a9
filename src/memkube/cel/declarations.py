"""Declarations for the type checker: variables, function overloads and object types."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Final, Protocol, TypeAlias

from memkube.cel.types import Type, read_type, struct, type_of

_parameter: Final = re.compile(r"\b[A-Z]\b").findall
Signatures: TypeAlias = Mapping[str, tuple[str, ...]]
"""Overload signatures by function name, such as ``(int, A): bool``, or ``string.(int): bool`` for a member function."""


Function: TypeAlias = Callable[..., object]
"""Python function that implements an overload of a CEL function. It raises EvaluationError if the call fails.

The first argument of a member function is its receiver.
"""
Implementations: TypeAlias = Mapping[str, Mapping[str, Function]]
"""Implementations of CEL functions, by function name and then by overload signature."""


@dataclass(frozen=True, slots=True)
class Overload:
    """One overload of a function. The first argument type of a member function is that of its receiver."""

    arguments: tuple[Type, ...]
    result: Type
    member: bool
    parameters: tuple[str, ...]
    signature: str


@dataclass(frozen=True, slots=True)
class Resolved:
    """The function or variable to which a name in an expression refers: its full name, and a function's overloads."""

    name: str
    overloads: tuple[Overload, ...]
    member: bool


class ObjectType(Protocol):
    """Protocol for a type whose values have named fields, such as an API object."""

    @property
    def name(self) -> str:
        """Name of the type in error messages."""
        ...

    def field(self, name: str) -> Type | None:
        """Return the type of a field; None if the object type has no such field."""
        ...


@dataclass(frozen=True, slots=True)
class Fields:
    """A type of objects with a fixed set of fields, which are in the mapping `fields`."""

    name: str
    fields: Mapping[str, Type]

    @property
    def type(self) -> Type:
        """This object type as the CEL type of a variable or field."""
        return struct(self.name)

    def field(self, name: str) -> Type | None:
        return self.fields.get(name)


FindObject: TypeAlias = Callable[[str], ObjectType | None]


def _none(name: str) -> ObjectType | None:
    return None


@dataclass(frozen=True, slots=True)
class Declarations:
    """Variables, functions and object types that an expression can use.

    The function `find_object` looks up object types that are not in `objects`.
    """

    functions: Mapping[str, list[Overload]]
    names: Mapping[str, Type] = field(default_factory=dict)
    objects: Mapping[str, ObjectType] = field(default_factory=dict)
    find_object: FindObject = _none

    def function(self, name: str) -> list[Overload] | None:
        """Return the overloads of a function; None if the function is not declared."""
        return self.functions.get(name)

    def object_type(self, name: str) -> ObjectType | None:
        """Return the object type whose name is `name`, such as ``Object.spec``; None if it is not declared."""
        return self.objects.get(name) or self.find_object(name)

    def name(self, name: str) -> Type | None:
        """Return the type of a variable, or ``type(T)`` for the name of a type T; None if the name is not declared."""
        known = self.names.get(name)
        if known is None and self.object_type(name) is not None:
            return type_of(struct(name))
        return known

    def extended(
        self,
        names: Mapping[str, Type],
        objects: Iterable[ObjectType] = (),
        *,
        functions: Mapping[str, list[Overload]] | None = None,
        find_object: FindObject | None = None,
    ) -> "Declarations":
        """Return a copy with more declarations. New overloads of a declared function come after its own overloads.

        `names` has the types of the new variables. `find_object` gets the name of an object type and returns the type,
        or None if there is no such type; it replaces the present function for this.
        """
        more = dict(self.functions)
        for name, overloads in (functions or {}).items():
            more[name] = more.get(name, []) + overloads
        return replace(
            self,
            functions=more,
            names={**self.names, **names},
            objects={**self.objects, **{one.name: one for one in objects}},
            find_object=find_object or self.find_object,
        )


def read_functions(*libraries: Signatures) -> dict[str, list[Overload]]:
    """Parse the function signatures of libraries into overloads by function name, in the order of the libraries."""
    functions: dict[str, list[Overload]] = {}
    for library in libraries:
        for name, signatures in library.items():
            functions.setdefault(name, []).extend(_overload(signature) for signature in signatures)
    return functions


@cache
def _overload(signature: str) -> Overload:
    called, _, result = signature.rpartition("): ")
    target, member, arguments = called.rpartition(".(")
    if not member:
        arguments = called[1:]
    types = read_type(f"arguments({arguments})").parameters if arguments else ()
    receiver = (read_type(target),) if member else ()
    letters = tuple(dict.fromkeys(_parameter(signature)))
    return Overload((*receiver, *types), read_type(result), bool(member), letters, signature)


def same_for_all(declared: Signatures, functions: Mapping[str, Function]) -> Implementations:
    """Return the implementations of CEL functions whose overloads are all implemented by one Python function.

    `declared` has the overloads of each CEL function, and `functions` has the Python function for each CEL function.
    """
    return {name: dict.fromkeys(declared[name], function) for name, function in functions.items()}


TYPE_NAMES: Final = {
    name: type_of(read_type(name)) for name in ("bool", "bytes", "double", "int", "string", "timestamp", "uint")
} | {
    "duration": type_of(read_type("duration")),
    "list": type_of(read_type("list(A)")),
    "map": type_of(read_type("map(A, B)")),
    "null_type": type_of(read_type("null")),
    "optional_type": type_of(read_type("optional_type(A)")),
    "type": type_of(read_type("type")),
    "google.protobuf.Duration": type_of(read_type("duration")),
    "google.protobuf.Timestamp": type_of(read_type("timestamp")),
    "net.CIDR": type_of(read_type("net.CIDR")),
    "net.IP": type_of(read_type("net.IP")),
}
"""Types of the variables that name CEL types in expressions.

For example, the variable ``int`` has the type ``type(int)``.
"""
