"""The query of a LIST, WATCH or deletecollection (metav1.ListOptions)."""

from dataclasses import dataclass, replace

from memkube.apimachinery import fields, labels
from memkube.apimachinery.errors import bad_request
from memkube.apimachinery.field_errors import FieldError, forbidden, not_supported
from memkube.endpoints.query import Query, flag, integer, invalid_options, text
from memkube.registry.options import ListOptions, Selection, WatchOptions
from memkube.registry.resource import Resource

_MATCHES = ("Exact", "NotOlderThan")
_PATH = "resourceVersionMatch"


@dataclass(frozen=True, slots=True)
class ListQuery:
    """A decoded query, before a selector for the resource is made of it."""

    watch: bool
    bookmarks: bool
    resource_version: str
    match: str
    timeout_seconds: int | None
    limit: int
    continue_token: str
    send_initial_events: bool | None
    label_selector: str
    field_selector: str

    def list_options(self, selection: Selection) -> ListOptions:
        """What the registry's list takes."""
        return ListOptions(selection, max(self.limit, 0), self.continue_token, self.resource_version, self.match)

    def watch_options(self, selection: Selection) -> WatchOptions:
        """What the registry's watch takes."""
        return WatchOptions(
            selection, self.resource_version, self.bookmarks, self.send_initial_events, self.timeout_seconds
        )


def parse_list_query(query: Query, *, watch: bool = False) -> ListQuery:
    """Decodes and checks a query. Raises ApiError 400 and 422."""
    return ListQuery(
        watch=watch or bool(flag(query, "watch")),
        bookmarks=bool(flag(query, "allowWatchBookmarks")),
        resource_version=text(query, "resourceVersion"),
        match=text(query, "resourceVersionMatch"),
        timeout_seconds=integer(query, "timeoutSeconds"),
        limit=integer(query, "limit") or 0,
        continue_token=text(query, "continue"),
        send_initial_events=flag(query, "sendInitialEvents"),
        label_selector=text(query, "labelSelector"),
        field_selector=text(query, "fieldSelector"),
    )


def check_list_query(query: ListQuery) -> None:
    """Raises ApiError 422 for options that contradict each other."""
    errors = _watch_errors(query) if query.watch else _list_errors(query)
    if errors:
        raise invalid_options("ListOptions", errors)


def selection(query: ListQuery, resource: Resource) -> Selection:
    """The selectors of a query. Raises ApiError 400."""
    try:
        wanted_labels = labels.parse(query.label_selector) if query.label_selector else None
        wanted_fields = fields.parse(query.field_selector) if query.field_selector else None
    except ValueError as error:
        raise bad_request(str(error)) from None
    return Selection(wanted_labels, _supported(wanted_fields, resource) if wanted_fields else None)


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
    if query.send_initial_events is not None and match != "NotOlderThan":
        errors.append(forbidden(_PATH, f"sendInitialEvents requires setting {_PATH} to NotOlderThan"))
    if match:
        if query.send_initial_events is None:
            errors.append(forbidden(_PATH, f"{_PATH} is forbidden for watch unless sendInitialEvents is provided"))
        if match != "NotOlderThan":
            errors.append(not_supported(_PATH, match, ("NotOlderThan",)))
        if query.continue_token:
            errors.append(forbidden(_PATH, f"{_PATH} is forbidden when continue is provided"))
    return errors
