"""What is wrong with a request whatever it is about."""

import re

from starlette.types import Scope as AsgiScope

from memkube.apimachinery.errors import bad_request
from memkube.apimachinery.shown_values import quoted
from memkube.endpoints.paths import Address
from memkube.endpoints.requests import ApiRequest

_BAD_ESCAPE = re.compile(rb"%(?![0-9a-fA-F]{2})")
_duration_piece = re.compile(r"([0-9]*)(?:\.([0-9]*))?([^.0-9]*)").match
_NANOSECONDS = {
    "ns": 1, "us": 10**3, "µs": 10**3, "μs": 10**3, "ms": 10**6, "s": 10**9, "m": 60 * 10**9, "h": 3600 * 10**9,
}  # fmt: skip
_LONGEST = 2**63


class MalformedRequest(Exception):
    """Not even an address can be made of the request: the answer is a line of text, no Status."""

    def __init__(self, text: str = "400 Bad Request", code: int = 400) -> None:
        super().__init__(text)
        self.text = text
        self.code = code


def check_escapes(scope: AsgiScope) -> None:
    """Raises MalformedRequest where the path has a percent sign that escapes nothing."""
    if _BAD_ESCAPE.search(scope.get("raw_path") or b""):
        raise MalformedRequest


def check_watched(address: Address, scope: AsgiScope) -> None:
    """Raises MalformedRequest for a deprecated ``/watch`` address that ends there."""
    if address.resource:
        return
    uri = b"?".join(part for part in (scope.get("raw_path") or b"", scope["query_string"]) if part).decode("latin-1")
    why = f"failed to create RequestInfo: unable to determine kind and namespace from url, {uri}"
    raise MalformedRequest(f"Internal Server Error: {quoted(uri)}: {why}\n", 500)


def check_timeout(request: ApiRequest) -> None:
    """Raises ApiError 400 unless the timeout is a duration as Go writes them."""
    if b"timeout=" not in request.scope["query_string"]:
        return
    text = request.parameter("timeout")
    if text and (problem := duration_problem(text)):
        why = f"{problem} duration {quoted(text)}"
        raise bad_request(f"invalid timeout specified in the request URL - time: {why}")


def duration_problem(text: str) -> str:
    """Why Go's ``time.ParseDuration`` does not take a duration, empty where it does."""
    rest = text[1:] if text[:1] in ("-", "+") else text
    if rest == "0":
        return ""
    if not rest:
        return "invalid"
    while rest:
        piece = _duration_piece(rest)
        if piece is None or not (piece[1] or piece[2]):
            return "invalid"
        if not piece[3]:
            return "missing unit in"
        if piece[3] not in _NANOSECONDS:
            return f"unknown unit {quoted(piece[3])} in"
        if int(piece[1] or 0) > _LONGEST // _NANOSECONDS[piece[3]]:
            return "invalid"
        rest = rest[piece.end() :]
    return ""
