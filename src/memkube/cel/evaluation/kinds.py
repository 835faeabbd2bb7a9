"""Type checks of values at run time. In a list or map, only the first item is checked."""

from memkube.cel.types import Type
from memkube.cel.values import MISSING, MapValue, Value, is_list, is_map, kind_of


def fits(wanted: Type, value: Value) -> bool:
    """True if the value can be passed as an argument of type `wanted`."""
    kind = wanted.kind
    if kind in ("dyn", "any", "param"):
        return True
    if kind == "list":
        return is_list(value) and _fits_first(wanted.parameters[0], value)
    if kind == "map":
        return is_map(value) and _fits_entry(wanted, value)
    return kind_of(value) == wanted.name


def _fits_first(wanted: Type, items: Value) -> bool:
    first = next(iter(items), MISSING)  # type: ignore[call-overload]
    return first is MISSING or fits(wanted, first)


def _fits_entry(wanted: Type, entries: Value) -> bool:
    first = next(iter(entries), MISSING)  # type: ignore[call-overload]
    if first is MISSING:
        return True
    key, value = wanted.parameters
    held = entries.find(first) if isinstance(entries, MapValue) else entries[first]  # type: ignore[index]
    return fits(key, first) and fits(value, held)
