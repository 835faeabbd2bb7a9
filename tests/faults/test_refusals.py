"""Error messages of faults, which are those of apimachinery's ``api/errors`` and of the apiserver's storage."""

import pytest

from memkube import faults
from memkube.apimachinery.errors import ApiError, Cause, Details
from memkube.faults.attributes import RequestAttributes
from memkube.faults.effects import ErrorCode
from memkube.faults.refusals import refusal

_ABOUT = Details(name="web", group="apps", kind="deployments")
_OVERTAKEN = (
    'Operation cannot be fulfilled on deployments.apps "web": the object has been modified; '
    "please apply your changes to the latest version and try again"
)
_REFUSALS = {
    ("update", 409): ApiError(409, "Conflict", _OVERTAKEN, _ABOUT),
    ("create", 409): ApiError(409, "AlreadyExists", 'deployments.apps "web" already exists', _ABOUT),
    ("list", 410): ApiError(410, "Expired", "The resourceVersion for the provided list is too old."),
    ("watch", 410): ApiError(410, "Expired", "too old resource version: 5 (9)"),
    ("get", 429): ApiError(
        429, "TooManyRequests", "Too many requests, please try again later.", Details(retry_after_seconds=1)
    ),
    ("get", 500): ApiError(
        500,
        "InternalError",
        "Internal error occurred: etcdserver: request timed out",
        Details(causes=(Cause(message="etcdserver: request timed out"),)),
    ),
    ("get", 503): ApiError(503, "ServiceUnavailable", "the server is currently unable to handle the request"),
    ("get", 504): ApiError(
        504,
        "Timeout",
        "Timeout: request did not complete within requested timeout - context deadline exceeded",
        Details(),
    ),
}


def asked(verb: str) -> RequestAttributes:
    return RequestAttributes(verb=verb, group="apps", resource="deployments", name="web")


@pytest.mark.parametrize(("verb", "code"), _REFUSALS)
def test_a_refusal_is_in_the_words_of_the_reference(verb: str, code: ErrorCode) -> None:
    assert refusal(faults.error(code), asked(verb), "5", 9) == _REFUSALS[verb, code]


def test_a_refusal_may_say_something_else() -> None:
    refused = refusal(faults.error(503, "come back", retry_after=7), asked("get"))
    assert (refused.message, refused.details) == ("come back", Details(retry_after_seconds=7))
    assert refusal(faults.error(409, "taken"), asked("patch")).message == "taken"
