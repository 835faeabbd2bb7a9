"""CEL's own functions and operators (cel-go's ``common/stdlib``, ``cel`` and ``ext``)."""

from typing import Final

from memkube.cel.declarations import Signatures

_NUMBERS: Final = ("int", "uint", "double")
_ORDERED: Final = ("bool", *_NUMBERS, "string", "bytes", "timestamp", "duration")
_MIXED: Final = tuple((one, other) for one in _NUMBERS for other in _NUMBERS if one != other)


def _comparison() -> tuple[str, ...]:
    pairs = [(kind, kind) for kind in _ORDERED] + list(_MIXED)
    return tuple(f"({one}, {other}): bool" for one, other in pairs)


def _arithmetic(*kinds: str) -> tuple[str, ...]:
    return tuple(f"({kind}, {kind}): {kind}" for kind in kinds)


def _converted(target: str, *sources: str) -> tuple[str, ...]:
    return tuple(f"({source}): {target}" for source in sources)


def _part_of_time(*, of_durations: bool = False) -> tuple[str, ...]:
    durations = ("duration.(): int",) if of_durations else ()
    return ("timestamp.(): int", "timestamp.(string): int", *durations)


OPERATORS: Final[Signatures] = {
    "_?_:_": ("(bool, A, A): A",),
    "_&&_": ("(bool, bool): bool",),
    "_||_": ("(bool, bool): bool",),
    "!_": ("(bool): bool",),
    "@not_strictly_false": ("(bool): bool",),
    "__not_strictly_false__": ("(bool): bool",),
    "_==_": ("(A, A): bool",),
    "_!=_": ("(A, A): bool",),
    "_<_": _comparison(),
    "_<=_": _comparison(),
    "_>_": _comparison(),
    "_>=_": _comparison(),
    "_+_": (
        *_arithmetic("bytes", "double", "duration"),
        "(duration, timestamp): timestamp",
        "(timestamp, duration): timestamp",
        "(int, int): int",
        "(list(A), list(A)): list(A)",
        *_arithmetic("string", "uint"),
    ),
    "_-_": (
        *_arithmetic("double", "duration", "int", "uint"),
        "(timestamp, duration): timestamp",
        "(timestamp, timestamp): duration",
    ),
    # The overload for double comes first, because operands of unknown type use the first matching overload.
    "_*_": _arithmetic("double", "int", "uint"),
    "_/_": _arithmetic("double", "int", "uint"),
    "_%_": _arithmetic("int", "uint"),
    "-_": ("(double): double", "(int): int"),
    "_[_]": ("(list(A), int): A", "(map(A, B), A): B"),
    "@in": ("(A, list(A)): bool", "(A, map(A, B)): bool"),
    "_in_": ("(A, list(A)): bool", "(A, map(A, B)): bool"),
    "in": ("(A, list(A)): bool", "(A, map(A, B)): bool"),
}
FUNCTIONS: Final[Signatures] = {
    "size": tuple(
        signature
        for kind in ("bytes", "list(A)", "map(A, B)", "string")
        for signature in (f"({kind}): int", f"{kind}.(): int")
    ),
    "type": ("(A): type(A)",),
    "bool": _converted("bool", "bool", "string"),
    "bytes": _converted("bytes", "bytes", "string"),
    "double": _converted("double", "double", "int", "string", "uint"),
    "duration": _converted("duration", "duration", "int", "string"),
    "dyn": ("(A): dyn",),
    "int": _converted("int", "int", "double", "duration", "string", "timestamp", "uint"),
    "string": _converted("string", "string", "bool", "bytes", "double", "duration", "int", "timestamp", "uint"),
    "timestamp": _converted("timestamp", "timestamp", "int", "string"),
    "uint": _converted("uint", "uint", "double", "int", "string"),
    "contains": ("string.(string): bool",),
    "endsWith": ("string.(string): bool",),
    "startsWith": ("string.(string): bool",),
    "matches": ("(string, string): bool", "string.(string): bool"),
    "getFullYear": _part_of_time(),
    "getMonth": _part_of_time(),
    "getDayOfYear": _part_of_time(),
    "getDayOfMonth": _part_of_time(),
    "getDate": _part_of_time(),
    "getDayOfWeek": _part_of_time(),
    "getHours": _part_of_time(of_durations=True),
    "getMinutes": _part_of_time(of_durations=True),
    "getSeconds": _part_of_time(of_durations=True),
    "getMilliseconds": _part_of_time(of_durations=True),
}
OPTIONALS: Final[Signatures] = {
    "optional.of": ("(V): optional_type(V)",),
    "optional.ofNonZeroValue": ("(V): optional_type(V)",),
    "optional.none": ("(): optional_type(V)",),
    "value": ("optional_type(V).(): V",),
    "hasValue": ("optional_type(V).(): bool",),
    "or": ("optional_type(V).(optional_type(V)): optional_type(V)",),
    "orValue": ("optional_type(V).(V): V",),
    "_?._": ("(dyn, string): optional_type(V)",),
    "_[?_]": (
        "(list(V), int): optional_type(V)",
        "(optional_type(list(V)), int): optional_type(V)",
        "(map(K, V), K): optional_type(V)",
        "(optional_type(map(K, V)), K): optional_type(V)",
    ),
    "_[_]": ("(optional_type(list(V)), int): optional_type(V)", "(optional_type(map(K, V)), K): optional_type(V)"),
    "last": ("list(V).(): optional_type(V)",),
    "first": ("list(V).(): optional_type(V)",),
    "optional.unwrap": ("(list(optional_type(V))): list(V)",),
    "unwrapOpt": ("list(optional_type(V)).(): list(V)",),
}
STRINGS: Final[Signatures] = {
    "charAt": ("string.(int): string",),
    "indexOf": ("string.(string): int", "string.(string, int): int"),
    "lastIndexOf": ("string.(string): int", "string.(string, int): int"),
    "lowerAscii": ("string.(): string",),
    "replace": ("string.(string, string): string", "string.(string, string, int): string"),
    "split": ("string.(string): list(string)", "string.(string, int): list(string)"),
    "substring": ("string.(int): string", "string.(int, int): string"),
    "trim": ("string.(): string",),
    "upperAscii": ("string.(): string",),
    "format": ("string.(list(dyn)): string",),
    "strings.quote": ("(string): string",),
    "join": ("list(string).(): string", "list(string).(string): string"),
}
SETS: Final[Signatures] = {
    "sets.contains": ("(list(T), list(T)): bool",),
    "sets.equivalent": ("(list(T), list(T)): bool",),
    "sets.intersects": ("(list(T), list(T)): bool",),
}
LISTS: Final[Signatures] = {
    "slice": ("list(T).(int, int): list(T)",),
    "flatten": ("list(list(T)).(): list(T)", "list(dyn).(int): list(dyn)"),
    "sort": tuple(
        f"list({kind}).(): list({kind})" for kind in (*_NUMBERS, "bool", "duration", "timestamp", "string", "bytes")
    ),
    "@sortByAssociatedKeys": tuple(
        f"list(T).(list({kind})): list(T)" for kind in (*_NUMBERS, "bool", "duration", "timestamp", "string", "bytes")
    ),
    "lists.range": ("(int): list(int)",),
    "reverse": ("list(T).(): list(T)",),
    "distinct": ("list(T).(): list(T)",),
}
MAPS: Final[Signatures] = {
    "cel.@mapInsert": ("(map(K, V), K, V): map(K, V)", "(map(K, V), map(K, V)): map(K, V)"),
}
