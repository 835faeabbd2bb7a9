"""Refusals as Status bodies: the one place that renders them."""

from memkube.apimachinery.errors import ApiError, Details
from memkube.apimachinery.meta.v1.api_object import ListMeta
from memkube.apimachinery.meta.v1.status import Status, StatusCause, StatusDetails
from memkube.apimachinery.model import Document

_GENERIC = {
    404: ("NotFound", "the server could not find the requested resource"),
    405: ("MethodNotAllowed", "the server does not allow this method on the requested resource"),
    415: ("UnsupportedMediaType", "415: Unsupported Media Type"),
}


def generic_refusal(code: int) -> ApiError:
    """What the reference answers before it knows what the request is about."""
    reason, message = _GENERIC[code]
    return ApiError(code, reason, message, Details())


def status_of(error: ApiError) -> Document:
    """The Status of a refusal."""
    details = error.details
    status = Status(
        kind="Status",
        apiVersion="v1",
        metadata=ListMeta.from_document({"continue": error.continue_token} if error.continue_token else {}),
        status="Failure",
        message=error.message,
        reason=error.reason,
        code=error.code,
        details=None if details is None else _details(details),
    )
    return status.to_document()


def success(details: Details) -> Document:
    """The Status of something done that has no object to show."""
    return Status(kind="Status", apiVersion="v1", status="Success", details=_details(details)).to_document()


def retry_after(error: ApiError) -> str:
    """The value of the Retry-After header that goes with a refusal, empty for none."""
    seconds = error.details.retry_after_seconds if error.details else 0
    return str(seconds) if seconds else ""


def _details(details: Details) -> StatusDetails:
    return StatusDetails(
        name=details.name,
        group=details.group,
        kind=details.kind,
        uid=details.uid,
        causes=[StatusCause(reason=c.reason, message=c.message, field=c.field) for c in details.causes],
        retryAfterSeconds=details.retry_after_seconds,
    )
