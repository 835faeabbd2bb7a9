"""Errors of injected faults, worded as in Kubernetes (apimachinery ``api/errors``, apiserver ``storage``)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from memkube.apimachinery.errors import (
    ApiError,
    Details,
    GroupResource,
    already_exists,
    conflict,
    expired,
    internal_error,
    timeout,
)

if TYPE_CHECKING:
    from memkube.faults.attributes import RequestAttributes
    from memkube.faults.effects import Error

_OVERTAKEN: Final = "the object has been modified; please apply your changes to the latest version and try again"
_LIST_EXPIRED: Final = "The resourceVersion for the provided list is too old."
TOO_MANY_REQUESTS: Final = "Too many requests, please try again later."
_NO_STORAGE: Final = "etcdserver: request timed out"
_UNAVAILABLE: Final = "the server is currently unable to handle the request"
_TOO_SLOW: Final = "request did not complete within requested timeout - context deadline exceeded"
TOO_MANY_REQUESTS_SECONDS: Final = 1


class TextRefusal(ApiError):
    """An error that is sent as plain text instead of a Status. The message is the whole body."""


def refusal(error: Error, asked: RequestAttributes, wanted: str = "", current: int = 0) -> ApiError:
    """Return the API error with which a fault's effect `error` answers the request with the attributes `asked`.

    The message for an expired watch names `wanted`, the resourceVersion in the request, and `current`, the newest one.
    """
    message, retry = error.message, error.retry_after_seconds
    match error.code:
        case 409:
            return _conflict(asked, message)
        case 410 if asked.verb == "watch":
            return expired(message or f"too old resource version: {wanted or current} ({current})")
        case 410:
            return expired(message or _LIST_EXPIRED)
        case 429:
            kind = TextRefusal if error.as_text else ApiError
            about = Details(retry_after_seconds=retry or TOO_MANY_REQUESTS_SECONDS)
            return kind(429, "TooManyRequests", message or TOO_MANY_REQUESTS, about)
        case 500:
            return internal_error(message or _NO_STORAGE)
        case 503:
            details = Details(retry_after_seconds=retry) if retry else None
            return ApiError(503, "ServiceUnavailable", message or _UNAVAILABLE, details)
        case 504:
            return timeout(message or _TOO_SLOW, retry or 0)


def _conflict(asked: RequestAttributes, message: str) -> ApiError:
    plural, _, subresource = asked.resource.partition("/")
    resource = GroupResource(asked.group, plural)
    if message:
        refused = conflict(resource, asked.name, "")
        refused.message = message
        return refused
    if asked.verb == "create" and not subresource:
        return already_exists(resource, asked.name)
    return conflict(resource, asked.name, _OVERTAKEN)
