"""API errors, which the server returns as Status bodies.

::
   ApiError
   └── created by the functions below; ``reason`` distinguishes the errors

Sources: the API conventions ("Response Status Kind") and apimachinery's ``api/errors``.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from memkube.apimachinery.field_errors import FieldError, aggregate_message
from memkube.apimachinery.shown_values import quoted


class Cause(NamedTuple):
    """One cause of an error: machine-readable reason, message and field path."""

    reason: str = ""
    message: str = ""
    field: str = ""


class Details(NamedTuple):
    """The object or resource that an error concerns, and the causes of the error."""

    name: str = ""
    group: str = ""
    kind: str = ""
    uid: str = ""
    causes: tuple[Cause, ...] = ()
    retry_after_seconds: int = 0


@dataclass
class ApiError(Exception):
    """An API error that the server returns as a Status body. `reason` can be empty, as in Kubernetes."""

    code: int
    reason: str
    message: str
    details: Details | None = None
    continue_token: str = ""
    """Continue token of a 410 error for a list at a compacted revision.

    With this token, the client can continue the list at the current revision.
    """
    headers: dict[str, str] = field(default_factory=dict)
    status: dict[str, Any] | None = None
    """Complete Status body of an error that another server returned; None for errors of this server."""
    warnings: tuple[str, ...] = ()
    """Texts of the Warning headers of the response."""

    def __str__(self) -> str:
        return self.message


def invalid(group: str, kind: str, name: str, errors: Sequence[FieldError]) -> ApiError:
    """Return a 422 error for an object with invalid fields, with one cause for each field error."""
    causes = tuple(Cause(e.type, e.body, e.field) for e in errors)
    prefix = f"{kind}.{group}" if group else kind
    why = f": {aggregate_message(errors)}" if errors else ""
    message = f"{prefix} {quoted(name)} is invalid{why}"
    return ApiError(422, "Invalid", message, Details(name=name, group=group, kind=kind, causes=causes))


class GroupResource(NamedTuple):
    """Group and plural name of a resource, formatted for messages: ``pods``, ``poddisruptionbudgets.policy``."""

    group: str
    resource: str

    def __str__(self) -> str:
        return f"{self.resource}.{self.group}" if self.group else self.resource


def not_found(resource: GroupResource, name: str) -> ApiError:
    """Return a 404 error for an object that does not exist."""
    return ApiError(404, "NotFound", f"{resource} {quoted(name)} not found", _about(resource, name))


def already_exists(resource: GroupResource, name: str) -> ApiError:
    """Return a 409 error for an object name that is already in use."""
    return ApiError(409, "AlreadyExists", f"{resource} {quoted(name)} already exists", _about(resource, name))


def generate_name_conflict(resource: GroupResource, name: str) -> ApiError:
    """Return a 409 error for a name, generated from generateName, that is already in use."""
    why = "the server was not able to generate a unique name for the object"
    message = f"{resource} {quoted(name)} already exists, {why}"
    details = Details(name=name, group=resource.group, kind=resource.resource, retry_after_seconds=1)
    return ApiError(409, "AlreadyExists", message, details)


def conflict(resource: GroupResource, name: str, why: str) -> ApiError:
    """Return a 409 error for an object that another request has modified, or whose state does not allow the request.

    `why` is the reason, which ends the message.
    """
    message = f"Operation cannot be fulfilled on {resource} {quoted(name)}: {why}"
    return ApiError(409, "Conflict", message, _about(resource, name))


def forbidden(resource: GroupResource, name: str, why: str) -> ApiError:
    """Return a 403 error for a request that the server does not allow; `why` follows "is forbidden" in the message."""
    what = f"{resource} {quoted(name)}" if name else f"{resource}"
    return ApiError(403, "Forbidden", f"{what} is forbidden: {why}", _about(resource, name))


def method_not_supported(resource: GroupResource, action: str) -> ApiError:
    """Return a 405 error for an action that the resource does not support."""
    message = f"{action} is not supported on resources of kind {quoted(str(resource))}"
    return ApiError(405, "MethodNotAllowed", message, Details(group=resource.group, kind=resource.resource))


def bad_request(message: str) -> ApiError:
    """Return a 400 error for a malformed request."""
    return ApiError(400, "BadRequest", message)


def expired(message: str) -> ApiError:
    """Return a 410 error for a request that needs a revision that was already compacted."""
    return ApiError(410, "Expired", message)


def internal_error(message: str) -> ApiError:
    """Return a 500 error with the reason InternalError."""
    details = Details(causes=(Cause(message=message),))
    return ApiError(500, "InternalError", f"Internal error occurred: {message}", details)


def unclassified(message: str) -> ApiError:
    """Return a 500 error without a reason, as Kubernetes does for errors that are not API errors."""
    return ApiError(500, "", message)


def timeout(message: str, retry_after_seconds: int) -> ApiError:
    """Return a 504 error for a request that did not finish in time, with the advice when to retry it."""
    return ApiError(504, "Timeout", f"Timeout: {message}", Details(retry_after_seconds=retry_after_seconds))


def too_many_requests(message: str, retry_after_seconds: int, causes: tuple[Cause, ...] = ()) -> ApiError:
    """Return a 429 error, which tells the client to retry after `retry_after_seconds`; `causes` go into its details."""
    return ApiError(429, "TooManyRequests", message, Details(causes=causes, retry_after_seconds=retry_after_seconds))


def _about(resource: GroupResource, name: str) -> Details:
    return Details(name=name, group=resource.group, kind=resource.resource)
