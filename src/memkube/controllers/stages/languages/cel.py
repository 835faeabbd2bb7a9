"""CEL expressions in Stages (KWOK's ``pkg/utils/cel``). The variable ``self`` is the object.

Pods and Nodes are Go structs, and objects of other kinds are JSON data without types. Expressions can use the standard
functions of CEL and KWOK's functions ``Now``, ``Rand``, ``SinceSecond``, ``UnixSecond`` and ``Quantity``.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import Any, Final, NamedTuple

from memkube.apimachinery.duration import parse_duration
from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.go_integers import truncated_to_int64
from memkube.cel.declarations import TYPE_NAMES, Declarations, Implementations, Signatures, read_functions
from memkube.cel.environment import CompileError, Environment
from memkube.cel.errors import BudgetExhausted, EvaluationError, InstantiationError, no_such_overload
from memkube.cel.libraries import standard
from memkube.cel.library import Library, base_library
from memkube.cel.program import PER_CALL_LIMIT, Budget, Program
from memkube.cel.standard.calendar import parse_rfc3339
from memkube.cel.types import DYN, STRING, map_of, struct
from memkube.cel.values import Duration, Timestamp, Value
from memkube.controllers.framework.staged_kinds import StagedKind
from memkube.controllers.stages.languages import quantities
from memkube.controllers.stages.languages.go_structs import GoStruct, struct_type_of, struct_types
from memkube.controllers.stages.languages.quantities import QUANTITY

_NANOSECONDS: Final = 1_000_000_000
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_LONGEST: Final = 2**63 - 1
"""Longest duration in Go, in nanoseconds. It is the age of an object without a creation time."""
_RANDOM_VALUES: Final = 2**53
"""Number of different results of the function ``Rand``."""


class CelFailed(Exception):
    """Raised if a CEL expression fails, or if its result has the wrong type. The message has one line."""


class CelSources(NamedTuple):
    """Sources of the time and of random numbers for KWOK's functions in CEL expressions."""

    now: Callable[[], datetime]
    """Function that returns the present time."""
    draw: Callable[[int], int]
    """Function that takes a number N, and returns a random number from 0 to N - 1."""


class CelLanguage:
    """The variables, types and functions of the CEL expressions for one kind of objects."""

    def __init__(self, kind: StagedKind, sources: CelSources) -> None:
        self._struct = struct_type_of(kind)
        self._sources = sources

    @cached_property
    def environment(self) -> Environment:
        """Declarations with which expressions are compiled."""
        own = map_of(STRING, DYN) if self._struct is None else struct(self._struct.name)
        structs = [each.declared for each in struct_types()]
        return Environment(Declarations(read_functions(_SIGNATURES), TYPE_NAMES)).extended({"self": own}, structs)

    @cached_property
    def library(self) -> Library:
        """Implementations of the functions with which expressions are evaluated."""
        library = base_library().extended(_implementations(self._sources))
        # Call SinceSecond for arguments of all types: its overloads differ only in the type of a Go struct, which CEL
        # does not check at run time. The function itself rejects other types.
        return replace(library, unguarded=library.unguarded | {"SinceSecond"})

    def variables(self, document: Any) -> Mapping[str, Value]:
        """Return the variables of an expression for the object `document`."""
        return {"self": document if self._struct is None else GoStruct(self._struct, document)}


class CelExpression:
    """A compiled CEL expression of a Stage, which is evaluated for an object."""

    def __init__(self, text: str, language: CelLanguage) -> None:
        """Compile a CEL expression for objects of the kind that `language` is for.

        Raises ValueError with a message of one line if the expression is malformed or uses an unsupported feature.
        """
        self._language = language
        try:
            compiled = language.environment.compile(text)
            if isinstance(compiled, CompileError):
                raise ValueError(f"CEL expression {text!r}: {_one_line(compiled.detail)}")
            self._program = Program(compiled, language.library)
        except (ApiError, InstantiationError) as error:
            raise ValueError(f"CEL expression {text!r}: {_one_line(str(error))}") from None

    def value(self, document: Any) -> Value:
        """Return the result of the CEL expression for an object. Raises CelFailed if the expression fails."""
        try:
            return self._program.evaluate(self._language.variables(document), Budget(PER_CALL_LIMIT))
        except (EvaluationError, BudgetExhausted) as error:
            raise CelFailed(_one_line(str(error)) or type(error).__name__) from None

    def condition(self, document: Any) -> bool:
        """Return the boolean result of the CEL expression for an object.

        Raises CelFailed if the expression fails or is not boolean.
        """
        value = self.value(document)
        if not isinstance(value, bool):
            raise CelFailed("the result of the CEL expression is not a boolean")
        return value

    def integer(self, document: Any) -> int:
        """Return the result of the CEL expression for an object as an integer.

        A boolean becomes 0 or 1, and a duration its nanoseconds. Raises CelFailed if the expression fails, or has
        another result that is not a number.
        """
        value = self.value(document)
        if isinstance(value, Duration):
            return value.nanoseconds
        if not isinstance(value, (int, float)):
            raise CelFailed("the result of the CEL expression is not a number")
        return truncated_to_int64(value)

    def nanoseconds(self, document: Any) -> int:
        """Return the duration in nanoseconds that the CEL expression computes for an object.

        The expression must result in a duration, a text such as ``1h30m``, or a number of nanoseconds. Raises CelFailed
        if it fails or has another result.
        """
        value = self.value(document)
        if isinstance(value, Duration):
            return value.nanoseconds
        if isinstance(value, str):
            try:
                return round(parse_duration(value) * _NANOSECONDS)
            except ValueError as error:
                raise CelFailed(str(error)) from None
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise CelFailed("the result of the CEL expression is not a duration")
        return truncated_to_int64(value)


_DECLARED: Final[Signatures] = {
    "Now": ("(): timestamp",),
    "Rand": ("(): double",),
    "SinceSecond": (
        *("(v1.Node): double", "(v1.Pod): double"),
        *("v1.Node.(): double", "v1.Pod.(): double"),
    ),
    "UnixSecond": ("(timestamp): double", "timestamp.(): double"),
    "Quantity": (f"(string): {QUANTITY}", f"string.(): {QUANTITY}"),
}
"""Functions that KWOK adds to CEL. Those with an argument are member functions too."""


def _signatures() -> Signatures:
    """Return the overloads of all functions and operators of CEL expressions in Stages.

    KWOK does not enable comparisons of numbers of different types, such as ``1.5 > 1``.
    """
    usual = {**standard.OPERATORS, **standard.FUNCTIONS}
    for name in ("_<_", "_<=_", "_>_", "_>=_"):
        usual[name] = tuple(each for each in usual[name] if len(set(_operands(each))) == 1)
    names = {*usual, *quantities.OPERATORS}
    return {
        **_DECLARED,
        **{name: (*usual.get(name, ()), *quantities.OPERATORS.get(name, ())) for name in sorted(names)},
    }


def _operands(signature: str) -> list[str]:
    return signature.removeprefix("(").partition(")")[0].split(", ")


_SIGNATURES: Final = _signatures()


def _implementations(sources: CelSources) -> Implementations:
    """Return the implementations of KWOK's functions, and of the operators that also take quantities."""
    functions: dict[str, Callable[..., Value]] = {
        "Now": lambda: _timestamp(sources.now()),
        "Rand": lambda: sources.draw(_RANDOM_VALUES) / _RANDOM_VALUES,
        "SinceSecond": lambda value: _age(value, sources.now()),
        "UnixSecond": lambda instant: instant.nanoseconds / _NANOSECONDS,
        "Quantity": quantities.stage_quantity,
        **quantities.FUNCTIONS,
        # These have one implementation for all their overloads, which also accepts lists of resources.
        **{name: next(iter(base_library().implementations[name].values())) for name in ("@in", "size")},
    }
    return {name: dict.fromkeys(_SIGNATURES[name], function) for name, function in functions.items()}


def _timestamp(instant: datetime) -> Timestamp:
    return Timestamp((instant - _EPOCH) // timedelta(microseconds=1) * 1000)


def _age(value: Value, now: datetime) -> float:
    """Return the number of seconds since the creation of a Pod or Node."""
    if not isinstance(value, GoStruct) or "metadata" not in value.document:
        raise no_such_overload("SinceSecond")
    created = value.document["metadata"].get("creationTimestamp")
    instant = parse_rfc3339(created) if created else None
    nanoseconds = _LONGEST if instant is None else _timestamp(now).nanoseconds - instant.nanoseconds
    return nanoseconds / _NANOSECONDS


def _one_line(text: str) -> str:
    return " ".join(text.split())
