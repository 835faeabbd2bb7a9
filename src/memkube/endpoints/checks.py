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


def requested_seconds(request: ApiRequest) -> float:
    """The timeout that a request asks for, 0 for none. Raises ApiError 400 for what is no duration."""
    if b"timeout=" not in request.scope["query_string"]:
        return 0.0
    text = request.parameter("timeout")
    if not text:
        return 0.0
    try:
        return parse_duration(text)
    except ValueError as error:
        raise bad_request(f"invalid timeout specified in the request URL - time: {error}") from None


def parse_duration(text: str) -> float:
    """The seconds of a duration (Go's ``time.ParseDuration``). Raises ValueError with Go's words for what is none."""
    sign, rest = (text[0], text[1:]) if text[:1] in ("-", "+") else ("", text)
    if rest == "0":
        return 0.0
    if not rest:
        raise ValueError(f"invalid duration {quoted(text)}")
    seconds = 0.0
    while rest:
        piece = _duration_piece(rest)
        if piece is None or not (piece[1] or piece[2]):
            raise ValueError(f"invalid duration {quoted(text)}")
        if not piece[3]:
            raise ValueError(f"missing unit in duration {quoted(text)}")
        if piece[3] not in _NANOSECONDS:
            raise ValueError(f"unknown unit {quoted(piece[3])} in duration {quoted(text)}")
        unit = _NANOSECONDS[piece[3]]
        if int(piece[1] or 0) > _LONGEST // unit:
            raise ValueError(f"invalid duration {quoted(text)}")
        seconds += float(f"{piece[1] or 0}.{piece[2] or 0}") * unit / 10**9
        rest = rest[piece.end() :]
    return -seconds if sign == "-" else seconds
