"""Errors of the control API: Status bodies, as in the Kubernetes API."""

from collections.abc import Callable
from typing import Any, Final, TypeAlias

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from memkube.apimachinery.errors import ApiError, Cause, Details, bad_request
from memkube.apimachinery.model import Document
from memkube.faults.names import NAME_PATTERN
from memkube.registry.storage_errors import FAILURES, failure_of_storage

_JSON: Final = "application/json"
_NOT_A_NAME: Final = "may contain lower-case letters, digits, - and ., and must begin and end with a letter or a digit"
_GENERIC: Final = {404: ("NotFound", "the control API has no such path"), 405: ("MethodNotAllowed", "")}

_STRING: Final = {"type": "string"}
_STATUS: Final = {
    "type": "object",
    "required": ["kind", "apiVersion", "status", "code"],
    "properties": {
        "kind": {"const": "Status"},
        "apiVersion": {"const": "v1"},
        "metadata": {"type": "object"},
        "status": {"const": "Failure"},
        "message": {**_STRING, "description": "Description of the error."},
        "reason": {**_STRING, "description": "Machine-readable reason, such as NotFound."},
        "details": {"type": "object", "description": "Details, with a cause for each field."},
        "code": {"type": "integer", "description": "The HTTP status."},
    },
}
STATUS_RESPONSE: Final[dict[str, Any]] = {
    "description": "An error: a Status of Kubernetes.",
    "content": {_JSON: {"schema": _STATUS}},
}
"""The error responses in the OpenAPI document of the control API, in place of FastAPI's own."""

RenderStatus: TypeAlias = Callable[[ApiError], Document]
"""Function that returns the Status of an error."""


def not_possible(why: str) -> ApiError:
    """Return the ApiError 409 for an operation that the state of the server does not allow; `why` is its message."""
    return ApiError(409, "Conflict", why, Details())


def not_running(what: str, controller: str) -> ApiError:
    """Return the ApiError 501 for an operation that needs `controller`, which is disabled.

    `what` is the first part of the message: the consequence, such as ``no nodes are simulated``.
    """
    return ApiError(501, "NotImplemented", f"{what}: the controller {controller} is disabled", Details())


def answer_with_status(application: FastAPI, render: RenderStatus) -> None:
    """Make an application answer every error with a Status, whose body `render` makes from an ApiError."""

    def respond(error: ApiError) -> JSONResponse:
        return JSONResponse(render(error), error.code, headers=error.headers)

    async def on_refusal(_: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, ApiError)
        return respond(error)

    async def on_storage(_: Request, error: Exception) -> JSONResponse:
        failure = failure_of_storage(error)
        assert failure is not None
        return respond(failure)

    async def on_invalid(request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, RequestValidationError)
        return respond(_invalid(request, error))

    async def on_http(_: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, HTTPException)
        reason, message = _GENERIC.get(error.status_code, ("", ""))
        return respond(ApiError(error.status_code, reason, message or str(error.detail), Details()))

    application.add_exception_handler(ApiError, on_refusal)
    for failure in FAILURES:
        application.add_exception_handler(failure, on_storage)
    application.add_exception_handler(RequestValidationError, on_invalid)
    application.add_exception_handler(HTTPException, on_http)


def _invalid(request: Request, error: RequestValidationError) -> ApiError:
    """Return the error for an invalid request: 400 for malformed JSON, 415 for another media type, else 422."""
    media_type = request.headers.get("content-type", _JSON).partition(";")[0].strip()
    if media_type != _JSON and not media_type.endswith("+json"):
        return ApiError(415, "UnsupportedMediaType", f"the body must be {_JSON}, not {media_type}", Details())
    problems = error.errors()
    if any(problem["type"] == "json_invalid" for problem in problems):
        return bad_request(f"the body is not JSON: {problems[0].get('ctx', {}).get('error', '')}")
    causes = tuple(Cause("FieldValueInvalid", _message(problem), _path(problem)) for problem in problems)
    said = ", ".join(f"{cause.field}: {cause.message}" if cause.field else cause.message for cause in causes)
    return ApiError(422, "Invalid", said, Details(causes=causes))


def _message(problem: Any) -> str:
    """Return the message of a problem that Pydantic has found.

    For an invalid name, it describes the valid names instead of quoting the regular expression.
    """
    is_name = problem.get("ctx", {}).get("pattern") == NAME_PATTERN
    return _NOT_A_NAME if is_name else str(problem["msg"]).removeprefix("Value error, ")


def _path(problem: Any) -> str:
    """Return the path of the invalid field in the request's body or query, without the prefix ``body`` or ``query``."""
    return ".".join(str(part) for part in problem["loc"][1:])
