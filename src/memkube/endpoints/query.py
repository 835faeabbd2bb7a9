"""The options of writes and deletions in a query (``metav1`` options)."""

from collections.abc import Sequence

from memkube.apimachinery.errors import ApiError, invalid
from memkube.apimachinery.field_errors import FieldError
from memkube.apimachinery.meta.v1.delete_options import DeleteOptions, Preconditions
from memkube.apimachinery.meta.validation.options import validate_delete_options, validate_write_options
from memkube.apimachinery.query import Query, flag, integer, text

META_GROUP = "meta.k8s.io"


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
    uid, version = text(query, "uid"), text(query, "resourceVersion")
    return DeleteOptions(
        preconditions=Preconditions(uid=uid or None, resourceVersion=version or None) if uid or version else None,
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
