"""What expressions may name: variables, functions by their signatures, and objects with fields."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Final, Protocol, TypeAlias

from memkube.cel.types import Type, read_type, struct, type_of

_parameter: Final = re.compile(r"\b[A-Z]\b").findall
Signatures: TypeAlias = Mapping[str, tuple[str, ...]]
"""Functions' names, each with its overloads: ``(int, A): bool``, and ``string.(int): bool`` for a member."""


Function: TypeAlias = Callable[..., object]
"""What a function does with values, of which a member's first is what it is called on. Raises EvaluationError."""
Implementations: TypeAlias = Mapping[str, Mapping[str, Function]]
"""Functions' names, each with what its overloads do, by their signatures as they are declared."""


@dataclass(frozen=True, slots=True)
class Overload:
    """One way to call a function; a member's first argument is what it is called on."""

    arguments: tuple[Type, ...]
    result: Type
    member: bool
    parameters: tuple[str, ...]
    signature: str


@dataclass(frozen=True, slots=True)
class Resolved:
    """What a call or a name with dots was found to be: its whole name, and the overloads that fit."""

    name: str
    overloads: tuple[Overload, ...]
    member: bool


class ObjectType(Protocol):
    """A type of objects."""

    @property
    def name(self) -> str:
        """What messages call it."""
        ...

    def field(self, name: str) -> Type | None:
        """The type of a field; None if there is none by that name."""
        ...


@dataclass(frozen=True, slots=True)
class Fields:
    """A type of objects whose fields are listed."""

    name: str
    fields: Mapping[str, Type]

    @property
    def type(self) -> Type:
        """As the type of a variable or of a field."""
        return struct(self.name)

    def field(self, name: str) -> Type | None:
        """See ObjectType."""
        return self.fields.get(name)


FindObject: TypeAlias = Callable[[str], ObjectType | None]


def _none(name: str) -> ObjectType | None:
    return None


@dataclass(frozen=True, slots=True)
class Declarations:
    """Everything that an expression may name. `find_object` knows types beyond those that are listed."""

    functions: Mapping[str, list[Overload]]
    names: Mapping[str, Type] = field(default_factory=dict)
    objects: Mapping[str, ObjectType] = field(default_factory=dict)
    find_object: FindObject = _none

    def function(self, name: str) -> list[Overload] | None:
        """The ways to call a function; None if there is none by that name."""
        return self.functions.get(name)

    def object_type(self, name: str) -> ObjectType | None:
        """The objects' type by that name."""
        return self.objects.get(name) or self.find_object(name)

    def name(self, name: str) -> Type | None:
        """The type of a variable; of a type, that of types."""
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
        """With more of them; functions get more overloads."""
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
    """The functions of all libraries, their overloads in the libraries' order."""
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
    """Functions that do the same for all their overloads, and tell kinds apart by themselves."""
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
"""Names of types, as variables."""
