"""Query parameters as the reference converts them (apimachinery ``conversion/queryparams``, ``metav1`` options)."""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from memkube.apimachinery.errors import ApiError, bad_request, invalid
from memkube.apimachinery.field_errors import FieldError, not_supported, too_long
from memkube.apimachinery.field_errors import invalid as invalid_value
from memkube.apimachinery.meta.v1.delete_options import DeleteOptions
from memkube.apimachinery.shown_values import quoted

Query: TypeAlias = Mapping[str, list[str]]
META_GROUP = "meta.k8s.io"
_INT64 = 2**63
_LONGEST_MANAGER = 128


def text(query: Query, name: str) -> str:
    """The first value of a parameter."""
    values = query.get(name)
    return values[0] if values else ""


def flag(query: Query, name: str) -> bool | None:
    """A boolean parameter: anything but ``false`` and ``0`` is true; None where it is absent."""
    values = query.get(name)
    return None if not values else values[0].lower() not in ("false", "0")


def integer(query: Query, name: str) -> int | None:
    """An integer parameter; None where it is absent. Raises ApiError 400."""
    values = query.get(name)
    if not values:
        return None
    digits = values[0]
    unsigned = digits[1:] if digits[:1] in ("-", "+") else digits
    if not (unsigned.isascii() and unsigned.isdigit()):
        raise bad_request(f"strconv.ParseInt: parsing {quoted(digits)}: invalid syntax")
    number = int(digits)
    if not -_INT64 <= number < _INT64:
        raise bad_request(f"strconv.ParseInt: parsing {quoted(digits)}: value out of range")
    return number


def write_options(query: Query, kind: str, errors: Sequence[FieldError] = ()) -> tuple[str, bool, str]:
    """fieldManager, dry run and fieldValidation of a write.

    Raises ApiError 422 about options of `kind`, where `errors` found already come first.
    """
    manager, validation = text(query, "fieldManager"), text(query, "fieldValidation")
    errors = [*errors, *_manager_errors(manager), *dry_run_errors(query.get("dryRun", []))]
    if validation not in ("", "Ignore", "Strict", "Warn"):
        errors.append(not_supported("fieldValidation", validation, ("", "Ignore", "Strict", "Warn")))
    if errors:
        raise invalid_options(kind, errors)
    return manager, bool(query.get("dryRun")), validation or "Warn"


def delete_options(query: Query) -> DeleteOptions:
    """The options of a DELETE without a body. Raises ApiError 400."""
    return DeleteOptions(
        gracePeriodSeconds=integer(query, "gracePeriodSeconds"),
        orphanDependents=flag(query, "orphanDependents"),
        propagationPolicy=text(query, "propagationPolicy") if "propagationPolicy" in query else None,
        dryRun=list(query.get("dryRun", [])),
    )


def check_delete_options(options: DeleteOptions) -> None:
    """Raises ApiError 422 for options of a DELETE that contradict each other or name what is unknown."""
    errors: list[FieldError] = []
    policy = options.propagationPolicy
    if policy is not None:
        if options.orphanDependents is not None:
            both = "orphanDependents and deletionPropagation cannot be both set"
            errors.append(invalid_value("propagationPolicy", policy, both))
        known = ("Foreground", "Background", "Orphan")
        if policy not in known:
            errors.append(not_supported("propagationPolicy", policy, (*known, "nil")))
    errors += dry_run_errors(options.dryRun)
    if errors:
        raise invalid_options("DeleteOptions", errors)


def dry_run_errors(values: list[str]) -> list[FieldError]:
    """The only dry run there is, is of All stages."""
    return [not_supported("dryRun", values, ("All",))] if any(value != "All" for value in values) else []


def invalid_options(kind: str, errors: list[FieldError]) -> ApiError:
    """422 about the options of a request."""
    return invalid(META_GROUP, kind, "", errors)


def _manager_errors(manager: str) -> list[FieldError]:
    path = "fieldManager"
    errors: list[FieldError] = []
    if len(manager.encode()) > _LONGEST_MANAGER:
        errors.append(too_long(path, _LONGEST_MANAGER))
    position = 0
    for character in manager:
        if not character.isprintable():
            shown = f"U+{ord(character):04X}"
            why = f"invalid character {shown} (at position {position})"
            errors.append(invalid_value(path, manager, why))
        position += len(character.encode())
    return errors

