"""Parsing and encoding of the revisions in requests: resourceVersions and continue tokens."""

import json
import posixpath
import string
from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import Any, NamedTuple

from memkube.apimachinery.decoding import DecodeError, parse_json
from memkube.apimachinery.errors import ApiError, bad_request, unclassified
from memkube.apimachinery.patches.json_patch import json_type
from memkube.apimachinery.shown_values import quoted

_UINT64 = 2**64


def requested_revision(text: str) -> int:
    """Return the revision of a ``resourceVersion`` query parameter; 0 if it is empty.

    Raises ApiError 500 if the parameter is malformed.
    """
    try:
        return revision_of(text)
    except ApiError as error:
        raise unclassified(f"resourceVersion: Invalid value: {quoted(text)}: {error.message}") from None


def revision_of(text: str) -> int:
    """Return the revision of an object's resourceVersion; 0 if it is empty.

    Raises ApiError 500 if the resourceVersion is malformed.
    """
    if text in ("", "0"):
        return 0
    if text.isascii() and text.isdigit():
        revision = int(text)
        if revision < _UINT64:
            return revision
        raise unclassified(f"strconv.ParseUint: parsing {quoted(text)}: value out of range")
    raise unclassified(f"strconv.ParseUint: parsing {quoted(text)}: invalid syntax")


def is_revision(text: str) -> bool:
    """Return True if a resourceVersion names a revision: it is a number other than 0."""
    return text.isascii() and text.isdigit() and 0 < int(text) < _UINT64


_VERSION = "meta.k8s.io/v1"
_TYPES = {"v": "string", "rv": "int64", "start": "string"}
_INT64 = 2**63
_ALPHABET = frozenset(string.ascii_letters + string.digits + "-_")


class ContinueToken(NamedTuple):
    """A continue token: where the next page of a list begins.

    `start` is the first key of the page, without the prefix of the list, and `revision` is the revision to list (-1 for
    the newest).
    """

    start: str
    revision: int

    def encode(self) -> str:
        """Return the token in the encoding of kube-apiserver."""
        text = json.dumps({"v": _VERSION, "rv": self.revision, "start": self.start}, separators=(",", ":"))
        return urlsafe_b64encode(text.encode()).rstrip(b"=").decode()

    @classmethod
    def decode(cls, text: str) -> "ContinueToken":
        """Decode a continue token that a client sent.

        Raises ApiError 400, with kube-apiserver's message, if the token is invalid.
        """
        token = _decoded(text)
        if token.get("v") != _VERSION:
            raise _invalid(f": server does not recognize this encoded version {token.get('v', '')}")
        revision, start = token.get("rv", 0), token.get("start", "")
        if not revision:
            raise _invalid(f": incorrect encoded start resourceVersion (version {_VERSION})")
        if not start:
            raise _invalid(f": encoded start key empty (version {_VERSION})")
        key = start if start.startswith("/") else f"/{start}"
        if posixpath.normpath(key) != key:
            raise _invalid(f": {start}")
        return cls(key[1:], revision)


def _decoded(text: str) -> dict[str, Any]:
    stray = next((i for i, character in enumerate(text) if character not in _ALPHABET), None)
    if stray is None and len(text) % 4 == 1:
        stray = len(text) - 1
    if stray is not None:
        raise _invalid(f": illegal base64 data at input byte {stray}")
    try:
        token = parse_json(urlsafe_b64decode(text + "=" * (-len(text) % 4)))
    except DecodeError as error:
        raise _invalid(f": {error.message}") from None
    if token is not None and not isinstance(token, dict):
        raise _invalid(f": json: cannot unmarshal {json_type(token)} into Go value of type storage.continueToken")
    return {name.lower(): _fitting(name.lower(), value) for name, value in (token or {}).items() if value is not None}


def _fitting(name: str, value: Any) -> Any:
    """Check the type of the field `name` of a continue token, and return its value.

    Raises ApiError 400 if the value has the wrong type.
    """
    wanted = _TYPES.get(name)
    if wanted is None or (wanted == "string" and isinstance(value, str)):
        return value
    found = json_type(value)
    if wanted == "int64" and found == "number":
        if isinstance(value, int) and abs(value) < _INT64:
            return value
        found = f"number {value}"
    raise _invalid(f": json: cannot unmarshal {found} into Go struct field continueToken.{name} of type {wanted}")


def _invalid(why: str) -> ApiError:
    return bad_request(f"invalid continue token: continue key is not valid{why}")
