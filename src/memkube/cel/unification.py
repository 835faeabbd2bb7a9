"""Assignability of one CEL type to another, and binding of type parameters (cel-go's ``checker/types.go``)."""

from typing import TypeAlias

from memkube.cel.types import DYN, OPTIONAL, Type

Mapping: TypeAlias = dict[Type, Type]
"""Bindings of type parameters to types."""

_NULLABLE = frozenset({"opaque", "struct", "any", "duration", "timestamp"})
_NESTED = frozenset({"opaque", "list", "map", "type"})


def assignable(mapping: Mapping, given: Type, wanted: Type) -> Mapping | None:
    """Return the type parameter bindings with which the type `given` is assignable to `wanted`; None if it never is.

    The result contains the bindings in `mapping` and the new ones.
    """
    return assignable_list(mapping, (given,), (wanted,))


def assignable_list(mapping: Mapping, given: tuple[Type, ...], wanted: tuple[Type, ...]) -> Mapping | None:
    """Return type parameter bindings with which all types in `given` are assignable to those in `wanted`, pair by pair.

    The result contains the bindings in `mapping` and the new ones. Returns None if a type is not assignable, or if the
    numbers of types differ.
    """
    found = dict(mapping)
    return found if _all_assignable(found, given, wanted) else None


def _all_assignable(mapping: Mapping, given: tuple[Type, ...], wanted: tuple[Type, ...]) -> bool:
    if len(given) != len(wanted):
        return False
    return all(_assignable(mapping, one, other) for one, other in zip(given, wanted, strict=True))


def _assignable(mapping: Mapping, given: Type, wanted: Type) -> bool:
    if wanted.kind == "param":
        valid, known = _substitutes(mapping, given, wanted)
        if valid or known:
            return valid
    if given.kind == "param":
        return _substitutes(mapping, wanted, given)[0]
    if _dyn_or_error(given) or _dyn_or_error(wanted):
        return True
    if given.kind == "null":
        return wanted.nullable or wanted.kind in _NULLABLE or wanted.kind == "null"
    if wanted.kind == "null":
        return given.nullable or given.kind in _NULLABLE
    if given.kind in ("unspecified", "param"):
        return False
    if given.kind == "type":
        return wanted.kind == "type"
    if given.kind != wanted.kind or given.name != wanted.name:
        return False
    return _all_assignable(mapping, given.parameters, wanted.parameters)


def _substitutes(mapping: Mapping, type_: Type, param: Type) -> tuple[bool, bool]:
    """Check if the type `type_` can replace the type parameter `param`, and bind the parameter in `mapping`.

    Return two flags: True if the type can replace the parameter, and True if the parameter was already bound.
    """
    if type_ == param:
        return True, True
    known = mapping.get(param)
    if known is not None:
        if type_ == known:
            return True, True
        if not _assignable(mapping, type_, known):
            return False, True
        general = most_general(type_, known)
        if not _occurs(mapping, param, general):
            mapping[param] = general
        return True, True
    if _occurs(mapping, param, type_):
        return False, False
    mapping[param] = type_
    return True, False


def _occurs(mapping: Mapping, param: Type, within: Type) -> bool:
    if param == within:
        return True
    if within.kind == "param":
        known = mapping.get(within)
        return known is not None and _occurs(mapping, param, known)
    return within.kind in _NESTED and any(_occurs(mapping, param, part) for part in within.parameters)


def most_general(one: Type, other: Type) -> Type:
    """Return the more general of two types, one of which is assignable to the other."""
    return one if _is_less_specific(one, other) else other


def _is_less_specific(one: Type, other: Type) -> bool:
    if one.is_dyn or one.kind == "param":
        return True
    if other.is_dyn or other.kind == "param" or one.kind != other.kind:
        return False
    if one.kind == "type":
        return True
    if one.kind not in _NESTED:
        return one == other
    same = one.name == other.name and len(one.parameters) == len(other.parameters)
    return same and all(_is_less_specific(*pair) for pair in zip(one.parameters, other.parameters, strict=True))


def substitute(mapping: Mapping, type_: Type, *, free_to_dyn: bool) -> Type:
    """Replace the type parameters in the type `type_` by their bindings in `mapping`; return the resulting type.

    If `free_to_dyn` is true, parameters without a binding are replaced by ``dyn``; otherwise, they are kept.
    """
    known = mapping.get(type_)
    if known is not None:
        return substitute(mapping, known, free_to_dyn=free_to_dyn)
    if type_.kind == "param" and free_to_dyn:
        return DYN
    if not type_.parameters:
        return type_
    parts = (substitute(mapping, part, free_to_dyn=free_to_dyn) for part in type_.parameters)
    return Type(type_.kind, type_.name, tuple(parts))


def unwrapped(type_: Type) -> tuple[Type, bool]:
    """Return the type inside an optional type and True; for any other type, the type itself and False."""
    if type_.kind == "opaque" and type_.name == OPTIONAL:
        return type_.parameters[0], True
    return type_, False


def _dyn_or_error(type_: Type) -> bool:
    return type_.is_dyn or type_.kind == "error"
