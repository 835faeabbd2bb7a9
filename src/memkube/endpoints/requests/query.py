"""Options in the query of writes, deletions, lists, watches and deletecollection requests.

Sources: ``metav1`` (CreateOptions, UpdateOptions, PatchOptions, DeleteOptions, ListOptions); apiserver (parseTimeout).
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from memkube.apimachinery import fields, labels
from memkube.apimachinery.errors import ApiError, bad_request, invalid
from memkube.apimachinery.field_errors import FieldError, forbidden, not_supported
from memkube.apimachinery.meta.v1.delete_options import DeleteOptions, Preconditions
from memkube.apimachinery.meta.validation.options import validate_delete_options, validate_write_options
from memkube.apimachinery.query import Query, flag, integer, text
from memkube.registry.declarations.request_options import ListOptions, Selection, WatchOptions
from memkube.registry.declarations.resource import Resource

META_GROUP = "meta.k8s.io"
_NOT_OLDER = "NotOlderThan"
_MATCHES = ("Exact", _NOT_OLDER)
_PATH = "resourceVersionMatch"


def write_options(query: Query, kind: str, errors: Sequence[FieldError] = ()) -> tuple[str, bool, str]:
    """Return the options ``fieldManager``, ``dryRun`` and ``fieldValidation`` of a write.

    `errors` are errors that the caller has found in other options. Raises ApiError 422 with these errors and the errors
    in invalid options, if there are any. The error names `kind`, the kind of the options, such as PatchOptions.
    """
    if not query and not errors:
        return "", False, "Warn"
    manager, validation, dry_run = text(query, "fieldManager"), text(query, "fieldValidation"), query.get("dryRun", [])
    found = [*errors, *validate_write_options(manager, dry_run, validation)]
    if found:
        raise invalid_options(kind, found)
    return manager, bool(dry_run), validation or "Warn"


def delete_options(query: Query) -> DeleteOptions:
    """Return the options of a DELETE without a body, from its query.

    Raises ApiError 400 for a malformed parameter.
    """
    uid, version = text(query, "uid"), text(query, "resourceVersion")
    return DeleteOptions(
        preconditions=Preconditions(uid=uid or None, resourceVersion=version or None) if uid or version else None,
        gracePeriodSeconds=integer(query, "gracePeriodSeconds"),
        orphanDependents=flag(query, "orphanDependents"),
        propagationPolicy=text(query, "propagationPolicy") if "propagationPolicy" in query else None,
        dryRun=list(query.get("dryRun", [])),
    )


def check_delete_options(options: DeleteOptions) -> None:
    """Raise ApiError 422 if the options of a DELETE have unknown or contradictory values."""
    errors = validate_delete_options(options)
    if errors:
        raise invalid_options("DeleteOptions", errors)


def invalid_options(kind: str, errors: list[FieldError]) -> ApiError:
    """Return the 422 error for invalid options; `kind` is the kind of the options, such as DeleteOptions."""
    return invalid(META_GROUP, kind, "", errors)


class ListQuery(NamedTuple):
    """The query parameters of a list or watch, except for its selectors."""

    watch: bool
    bookmarks: bool
    resource_version: str
    match: str
    timeout_seconds: int | None
    limit: int
    continue_token: str
    send_initial_events: bool | None

    def list_options(self, selection: Selection) -> ListOptions:
        """Return the options of a list for the registry: these query parameters, and the selectors in `selection`.

        A negative limit counts as no limit.
        """
        return ListOptions(selection, max(self.limit, 0), self.continue_token, self.resource_version, self.match)

    def watch_options(self, selection: Selection) -> WatchOptions:
        """Return the options of a watch for the registry: these query parameters, and the selectors in `selection`."""
        return WatchOptions(
            selection, self.resource_version, self.bookmarks, self.send_initial_events, self.timeout_seconds
        )


_NOTHING_ASKED: Final = ListQuery(
    watch=False,
    bookmarks=False,
    resource_version="",
    match="",
    timeout_seconds=None,
    limit=0,
    continue_token="",
    send_initial_events=None,
)


def parse_list_query(query: Query, resource: Resource) -> tuple[ListQuery, Selection]:
    """Parse and check the query of a list or watch.

    Raises ApiError 400 for malformed parameters, and 422 for contradictory ones.
    """
    if not query:
        return _NOTHING_ASKED, Selection()
    decoded = ListQuery(
        watch=bool(flag(query, "watch")),
        bookmarks=bool(flag(query, "allowWatchBookmarks")),
        resource_version=text(query, "resourceVersion"),
        match=text(query, "resourceVersionMatch"),
        timeout_seconds=integer(query, "timeoutSeconds"),
        limit=integer(query, "limit") or 0,
        continue_token=text(query, "continue"),
        send_initial_events=flag(query, "sendInitialEvents"),
    )
    selection = _selection(query)
    decoded = _with_defaults(decoded)
    errors = _watch_errors(decoded) if decoded.watch else _list_errors(decoded)
    if errors:
        raise invalid_options("ListOptions", errors)
    if selection.fields is not None:
        selection = Selection(selection.labels, _supported(selection.fields, resource))
    return decoded, selection


def _with_defaults(query: ListQuery) -> ListQuery:
    """Set the defaults of a watch without a resourceVersion: it begins with initial events (KEP-3157)."""
    says_where = query.send_initial_events is not None or query.match or query.resource_version not in ("", "0")
    if says_where or not query.watch:
        return query
    return query._replace(send_initial_events=True, match=_NOT_OLDER)


def _selection(query: Query) -> Selection:
    """Return the label and field selectors in a query. Raises ApiError 400 if a selector is malformed."""
    label_selector, field_selector = text(query, "labelSelector"), text(query, "fieldSelector")
    try:
        return Selection(
            labels.parse(label_selector) if label_selector else None,
            fields.parse(field_selector) if field_selector else None,
        )
    except ValueError as error:
        raise bad_request(str(error)) from None


def _supported(selector: fields.FieldSelector, resource: Resource) -> fields.FieldSelector:
    """Return a field selector in which deprecated field paths are replaced.

    Raises ApiError 400 for a field that the resource does not support in selectors.
    """
    requirements = []
    for requirement in selector.requirements:
        label = resource.fields.aliases.get(requirement.field, requirement.field)
        if label not in resource.fields.labels:
            raise bad_request(resource.fields.refusal(label))
        requirements.append(requirement._replace(field=label))
    return fields.FieldSelector(requirements)


def _list_errors(query: ListQuery) -> list[FieldError]:
    errors: list[FieldError] = []
    if match := query.match:
        if not query.resource_version:
            errors.append(forbidden(_PATH, f"{_PATH} is forbidden unless resourceVersion is provided"))
        if query.continue_token:
            errors.append(forbidden(_PATH, f"{_PATH} is forbidden when continue is provided"))
        if match not in _MATCHES:
            errors.append(not_supported(_PATH, match, (*_MATCHES, "")))
        if match == "Exact" and query.resource_version == "0":
            errors.append(forbidden(_PATH, f'{_PATH} "exact" is forbidden for resourceVersion "0"'))
    if query.send_initial_events is not None:
        errors.append(forbidden("sendInitialEvents", "sendInitialEvents is forbidden for list"))
    return errors


def _watch_errors(query: ListQuery) -> list[FieldError]:
    errors: list[FieldError] = []
    match = query.match
    if query.send_initial_events is not None and match != _NOT_OLDER:
        errors.append(forbidden(_PATH, f"sendInitialEvents requires setting {_PATH} to {_NOT_OLDER}"))
    if match:
        if query.send_initial_events is None:
            errors.append(forbidden(_PATH, f"{_PATH} is forbidden for watch unless sendInitialEvents is provided"))
        if match != _NOT_OLDER:
            errors.append(not_supported(_PATH, match, (_NOT_OLDER,)))
        if query.continue_token:
            errors.append(forbidden(_PATH, f"{_PATH} is forbidden when continue is provided"))
    return errors
