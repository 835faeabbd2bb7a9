"""Query parameters as the reference converts them (apimachinery ``conversion/queryparams``, ``metav1`` options)."""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from memkube.apimachinery.errors import ApiError, bad_request, invalid
from memkube.apimachinery.field_errors import FieldError
from memkube.apimachinery.meta.v1.delete_options import DeleteOptions
from memkube.apimachinery.meta.validation.options import validate_delete_options, validate_write_options
from memkube.apimachinery.shown_values import quoted

Query: TypeAlias = Mapping[str, list[str]]
META_GROUP = "meta.k8s.io"
_INT64 = 2**63


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
    manager, validation, dry_run = text(query, "fieldManager"), text(query, "fieldValidation"), query.get("dryRun", [])
    found = [*errors, *validate_write_options(manager, dry_run, validation)]
    if found:
        raise invalid_options(kind, found)
    return manager, bool(dry_run), validation or "Warn"


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
    errors = validate_delete_options(options)
    if errors:
        raise invalid_options("DeleteOptions", errors)


def invalid_options(kind: str, errors: list[FieldError]) -> ApiError:
    """422 about the options of a request."""
    return invalid(META_GROUP, kind, "", errors)
