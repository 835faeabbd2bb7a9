"""Answers that refuse: one exception tree, rendered as Status bodies by the endpoints.

::

    ApiError
    └── everything made by the functions below; ``reason`` tells them apart

Sources: the API conventions ("Response Status Kind") and apimachinery's ``api/errors``.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from memkube.apimachinery.field_errors import FieldError, aggregate_message
from memkube.apimachinery.shown_values import quoted


@dataclass(frozen=True, slots=True)
class Cause:
    """One reason behind a refusal: machine-readable reason, prose, and the field it is about."""

    reason: str = ""
    message: str = ""
    field: str = ""


@dataclass(frozen=True, slots=True)
class Details:
    """What a refusal is about."""

    name: str = ""
    group: str = ""
    kind: str = ""
    uid: str = ""
    causes: tuple[Cause, ...] = ()
    retry_after_seconds: int = 0


@dataclass
class ApiError(Exception):
    """A refusal with everything that its Status shows. ``reason`` may be empty, as in the reference."""

    code: int
    reason: str
    message: str
    details: Details | None = None
    continue_token: str = ""
    """Where a list that lost its history may go on (410)."""
    headers: dict[str, str] = field(default_factory=dict)
    status: dict[str, Any] | None = None
    """The whole Status, where somebody else has made it."""
    warnings: tuple[str, ...] = ()
    """What the answer warns of besides."""

    def __str__(self) -> str:
        return self.message


def invalid(group: str, kind: str, name: str, errors: Sequence[FieldError]) -> ApiError:
    """422: the object breaks these rules, named one by one as causes."""
    causes = tuple(Cause(e.type, e.body, e.field) for e in errors)
    prefix = f"{kind}.{group}" if group else kind
    why = f": {aggregate_message(errors)}" if errors else ""
    message = f"{prefix} {quoted(name)} is invalid{why}"
    return ApiError(422, "Invalid", message, Details(name=name, group=group, kind=kind, causes=causes))


@dataclass(frozen=True, slots=True)
class GroupResource:
    """A resource's group and plural, as messages name it: ``pods``, ``poddisruptionbudgets.policy``."""

    group: str
    resource: str

    def __str__(self) -> str:
        return f"{self.resource}.{self.group}" if self.group else self.resource


def not_found(resource: GroupResource, name: str) -> ApiError:
    """404: no such object."""
    return ApiError(404, "NotFound", f"{resource} {quoted(name)} not found", _about(resource, name))


def already_exists(resource: GroupResource, name: str) -> ApiError:
    """409: the name is taken."""
    return ApiError(409, "AlreadyExists", f"{resource} {quoted(name)} already exists", _about(resource, name))


def generate_name_conflict(resource: GroupResource, name: str) -> ApiError:
    """409: the name is taken, and the client left the choice to the server."""
    why = "the server was not able to generate a unique name for the object"
    message = f"{resource} {quoted(name)} already exists, {why}"
    details = Details(name=name, group=resource.group, kind=resource.resource, retry_after_seconds=1)
    return ApiError(409, "AlreadyExists", message, details)


def conflict(resource: GroupResource, name: str, why: str) -> ApiError:
    """409: the object is not what the request takes it for."""
    message = f"Operation cannot be fulfilled on {resource} {quoted(name)}: {why}"
    return ApiError(409, "Conflict", message, _about(resource, name))


def forbidden(resource: GroupResource, name: str, why: str) -> ApiError:
    """403: a rule of the server, not of the object, stands against it."""
    what = f"{resource} {quoted(name)}" if name else f"{resource}"
    return ApiError(403, "Forbidden", f"{what} is forbidden: {why}", _about(resource, name))


def method_not_supported(resource: GroupResource, action: str) -> ApiError:
    """405 for something that the objects of a resource do not offer."""
    message = f"{action} is not supported on resources of kind {quoted(str(resource))}"
    return ApiError(405, "MethodNotAllowed", message, Details(group=resource.group, kind=resource.resource))


def bad_request(message: str) -> ApiError:
    """400: the request cannot be understood."""
    return ApiError(400, "BadRequest", message)


def expired(message: str) -> ApiError:
    """410: the history that the request needs is forgotten."""
    return ApiError(410, "Expired", message)


def internal_error(message: str) -> ApiError:
    """500 with a reason: the reference gives up on what it was asked."""
    details = Details(causes=(Cause(message=message),))
    return ApiError(500, "InternalError", f"Internal error occurred: {message}", details)


def unclassified(message: str) -> ApiError:
    """500 without a reason: where the reference answers with an error that it never classified."""
    return ApiError(500, "", message)


def timeout(message: str, retry_after_seconds: int) -> ApiError:
    """504: what the request waits for did not come."""
    return ApiError(504, "Timeout", f"Timeout: {message}", Details(retry_after_seconds=retry_after_seconds))


def too_many_requests(message: str, retry_after_seconds: int, causes: tuple[Cause, ...] = ()) -> ApiError:
    """429: try again later."""
    return ApiError(429, "TooManyRequests", message, Details(causes=causes, retry_after_seconds=retry_after_seconds))


def _about(resource: GroupResource, name: str) -> Details:
    return Details(name=name, group=resource.group, kind=resource.resource)
