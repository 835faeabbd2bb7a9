"""Validation of the status line and headers of a response, with the errors of Go's ``net/http``."""

import re
from typing import Final

from memkube.apimachinery.shown_values import quoted

_BROKEN: Final = "net/http: HTTP/1.x transport connection broken: "
_VERSION: Final = re.compile(r"HTTP/[0-9]\.[0-9]")
_MOST_KEPT_BYTES: Final = 16 * 1024


class ResponseHead:
    """Collects the received bytes of one response until its status line and headers are complete."""

    def __init__(self) -> None:
        self._text = b""
        self._complete = False

    def fault(self, received: bytes) -> str | None:
        """Add received bytes and return Go's error if the status line or a header is malformed, otherwise None.

        Empty `received` means that the server closed the connection.
        """
        if self._complete:
            return None
        if not received:
            return _fault(self._text, ended=True) if self._text else None
        self._text += received
        head, end, _ = self._text.partition(b"\r\n\r\n")
        if not end and len(self._text) < _MOST_KEPT_BYTES:
            return None
        self._complete = True
        return _fault(head, ended=False) if end else None


def _fault(head: bytes, *, ended: bool) -> str | None:
    first, *lines = head.decode("latin-1").split("\r\n")
    if ended and not lines:
        return f"{_BROKEN}unexpected EOF"
    if why := _fault_of_status(first):
        return _BROKEN + why
    for line in lines:
        if line and ":" not in line:
            return f"{_BROKEN}malformed MIME header: missing colon: {quoted(line)}"
    if ended:
        return f"{_BROKEN}unexpected EOF"
    why = _fault_of_length(lines)
    return why and _BROKEN + why


def _fault_of_status(line: str) -> str | None:
    version, space, rest = line.partition(" ")
    if not space:
        return f"malformed HTTP response {quoted(line)}"
    code = rest.lstrip(" ").partition(" ")[0]
    if len(code) != 3 or not code.isdecimal():
        return f"malformed HTTP status code {quoted(code)}"
    return None if _VERSION.fullmatch(version) else f"malformed HTTP version {quoted(version)}"


def _fault_of_length(lines: list[str]) -> str | None:
    fields = [(name.lower(), value.strip(" \t")) for name, _, value in (line.partition(":") for line in lines)]
    codings = [value for name, value in fields if name == "transfer-encoding"]
    if len(codings) > 1:
        return f"too many transfer encodings: [{' '.join(map(quoted, codings))}]"
    if codings:
        return None if codings[0].lower() == "chunked" else f"unsupported transfer encoding: {quoted(codings[0])}"
    lengths = [value for name, value in fields if name == "content-length"]
    if len(set(lengths)) > 1:
        shown = " ".join(map(quoted, lengths))
        return f"http: message cannot contain multiple Content-Length headers; got [{shown}]"
    if lengths and not re.fullmatch("[0-9]+", lengths[0]):
        return f"bad Content-Length {quoted(lengths[0])}"
    return None
