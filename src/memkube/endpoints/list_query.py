"""The query of a LIST, WATCH or deletecollection (metav1.ListOptions)."""

from dataclasses import dataclass, replace
from typing import Final

from memkube.apimachinery import fields, labels
from memkube.apimachinery.errors import bad_request
from memkube.apimachinery.field_errors import FieldError, forbidden, not_supported
from memkube.apimachinery.query import Query, flag, integer, text
from memkube.endpoints.query import invalid_options
from memkube.registry.options import ListOptions, Selection, WatchOptions
from memkube.registry.resource import Resource

_NOT_OLDER = "NotOlderThan"
_MATCHES = ("Exact", _NOT_OLDER)
_PATH = "resourceVersionMatch"


@dataclass(frozen=True, slots=True)
class ListQuery:
    """What a query says besides its selectors."""

    watch: bool
    bookmarks: bool
    resource_version: str
    match: str
    timeout_seconds: int | None
    limit: int
    continue_token: str
    send_initial_events: bool | None

    def list_options(self, selection: Selection) -> ListOptions:
        """What the registry's list takes."""
        return ListOptions(selection, max(self.limit, 0), self.continue_token, self.resource_version, self.match)

    def watch_options(self, selection: Selection) -> WatchOptions:
        """What the registry's watch takes."""
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
    """A query, decoded and checked, and what it selects. Raises ApiError 400 and 422."""
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
    """A watch that begins nowhere begins with the present objects, as if it had asked for them (KEP-3157)."""
    says_where = query.send_initial_events is not None or query.match or query.resource_version not in ("", "0")
    if says_where or not query.watch:
        return query
    return replace(query, send_initial_events=True, match=_NOT_OLDER)


def _selection(query: Query) -> Selection:
    """The selectors of a query. Raises ApiError 400."""
    label_selector, field_selector = text(query, "labelSelector"), text(query, "fieldSelector")
    try:
        return Selection(
            labels.parse(label_selector) if label_selector else None,
            fields.parse(field_selector) if field_selector else None,
        )
    except ValueError as error:
        raise bad_request(str(error)) from None


def _supported(selector: fields.FieldSelector, resource: Resource) -> fields.FieldSelector:
    """The selector with old names replaced. Raises ApiError 400 for a field that the kind cannot be selected by."""
    requirements = []
    for requirement in selector.requirements:
        label = resource.field_label_aliases.get(requirement.field, requirement.field)
        if label not in resource.selectable_labels:
            raise bad_request(resource.unsupported_field_label(label))
        requirements.append(replace(requirement, field=label))
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
