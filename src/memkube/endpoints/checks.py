"""What is wrong with a request whatever it is about."""

import re

from starlette.types import Scope as AsgiScope

from memkube.apimachinery.errors import bad_request
from memkube.apimachinery.shown_values import quoted
from memkube.endpoints.requests import ApiRequest

_BAD_ESCAPE = re.compile(rb"%(?![0-9a-fA-F]{2})")
_DURATION = re.compile(r"[-+]?([0-9]*(\.[0-9]*)?(ns|us|µs|μs|ms|s|m|h))+")
_NUMBER = re.compile(r"[-+]?[0-9]*\.?[0-9]*")


class MalformedRequest(Exception):
    """HTTP itself is broken: the answer is a line of text, no Status."""


def check_escapes(scope: AsgiScope) -> None:
    """Raises MalformedRequest where the path has a percent sign that escapes nothing."""
    if _BAD_ESCAPE.search(scope.get("raw_path") or b""):
        raise MalformedRequest


def check_timeout(request: ApiRequest) -> None:
    """Raises ApiError 400 unless the timeout is a duration as Go writes them."""
    if b"timeout=" not in request.scope["query_string"]:
        return
    text = request.parameter("timeout")
    if text in ("", "0") or _DURATION.fullmatch(text):
        return
    missing = text[-1].isdigit() and _NUMBER.fullmatch(text)
    why = f"missing unit in duration {quoted(text)}" if missing else f"invalid duration {quoted(text)}"
    raise bad_request(f"invalid timeout specified in the request URL - time: {why}")
