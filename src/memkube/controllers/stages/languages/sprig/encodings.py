"""Sprig's functions for JSON, base64, base32 and checksums (``defaults.go``, ``strings.go``, ``crypto.go``)."""

import base64
import hashlib
import json
import zlib
from collections.abc import Callable, Mapping
from typing import Any, Final

from memkube.apimachinery.base64 import decode_base64
from memkube.controllers.stages.languages.template_arguments import (
    TemplateFunction,
    decoded,
    of_texts,
    taking,
    text_of,
)
from memkube.controllers.stages.languages.template_values import TemplateError, to_json

_BASE32: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"


def _from_json(text: Any) -> Any:
    """Parse JSON, with all numbers as floats as in Go. Returns None for malformed JSON."""
    try:
        return _parsed(text_of(text))
    except ValueError:
        return None


def _must_from_json(text: Any) -> Any:
    try:
        return _parsed(text_of(text))
    except ValueError as error:
        raise TemplateError(f"malformed JSON: {error}") from None


def _parsed(text: str) -> Any:
    return json.loads(text, parse_int=float)


def _raw_json(value: Any) -> str:
    return to_json(value, escapes_html=False)


def _pretty_json(value: Any) -> str:
    return to_json(value, indent="  ")


def _checksum(digest: Callable[[bytes], str]) -> TemplateFunction:
    return of_texts(1, lambda text: digest(text.encode()))


def _base64_decoded(text: str) -> str:
    """Decode a text. As in Sprig, the result is an error message if the text is malformed."""
    try:
        return decoded(decode_base64(text))
    except ValueError as error:
        return str(error)


def _base32_decoded(text: str) -> str:
    """Decode a text. As in Sprig, the result is an error message if the text is malformed."""
    try:
        return decoded(base64.b32decode(text))
    except ValueError:
        written = text.rstrip("=")
        place = next((index for index, letter in enumerate(written) if letter not in _BASE32), len(text))
        return f"illegal base32 data at input byte {place}"


def _sum_of(name: str) -> Callable[[bytes], str]:
    return lambda data: hashlib.new(name, data, usedforsecurity=False).hexdigest()


ENCODINGS: Final[Mapping[str, TemplateFunction]] = {
    "toJson": taking(1, to_json),
    "mustToJson": taking(1, to_json),
    "toRawJson": taking(1, _raw_json),
    "mustToRawJson": taking(1, _raw_json),
    "toPrettyJson": taking(1, _pretty_json),
    "mustToPrettyJson": taking(1, _pretty_json),
    "fromJson": taking(1, _from_json),
    "mustFromJson": taking(1, _must_from_json),
    "b64enc": of_texts(1, lambda text: base64.b64encode(text.encode()).decode()),
    "b64dec": of_texts(1, _base64_decoded),
    "b32enc": of_texts(1, lambda text: base64.b32encode(text.encode()).decode()),
    "b32dec": of_texts(1, _base32_decoded),
    "sha1sum": _checksum(_sum_of("sha1")),
    "sha256sum": _checksum(_sum_of("sha256")),
    "sha512sum": _checksum(_sum_of("sha512")),
    "adler32sum": _checksum(lambda data: str(zlib.adler32(data))),
}
"""Functions that encode and decode values, by name."""
