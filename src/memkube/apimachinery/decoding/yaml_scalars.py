"""Plain YAML scalars as go-yaml v2 resolves them (YAML 1.1). Source: go.yaml.in/yaml/v2 (resolve.go)."""

import re
from base64 import b64decode
from binascii import Error as Base64Error
from typing import Any, Final

from memkube.apimachinery.decoding.errors import DecodeError

TAGS: Final = "tag:yaml.org,2002:"

_WORDS: Final[dict[str, tuple[str, Any]]] = {
    **dict.fromkeys(("y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"), ("bool", True)),
    **dict.fromkeys(("n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"), ("bool", False)),
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), ("null", None)),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), ("float", float("nan"))),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), ("float", float("inf"))),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), ("float", float("-inf"))),
    "<<": ("merge", "<<"),
}
_RESOLVED_TAGS: Final = frozenset(("", "str", "bool", "int", "float", "null", "timestamp"))
_INTEGER: Final = re.compile(r"([-+]?)(0[xX][0-9a-fA-F]+|0[oO]?[0-7]+|0[bB][01]+|[1-9][0-9]*|0)")
_FLOAT: Final = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_TIMESTAMP: Final = re.compile(
    r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}"
    r"(?:[Tt][0-9]{1,2}:[0-9]{1,2}:[0-9]{1,2}(?:[.,][0-9]+)?(?:Z|[-+][0-9]{2}:[0-9]{2})"
    r"| +[0-9]{1,2}:[0-9]{1,2}:[0-9]{1,2}(?:[.,][0-9]+)?)?"
)
_LONGEST_NUMBER: Final = 400


def resolve_scalar(tag: str, text: str) -> Any:
    """The value of a plain or tagged scalar; `tag` is its full tag or "". Raises DecodeError."""
    wanted = tag.removeprefix(TAGS)
    if wanted == "binary":
        return _binary(text)
    if wanted not in _RESOLVED_TAGS or wanted == "str":
        return text
    found, value = _untagged(text)
    if wanted == "float" and found == "int":
        return float(value)
    if wanted not in ("", found):
        raise DecodeError(f"yaml: cannot decode !!{found} `{text}` as a !!{wanted}")
    return value


def _untagged(text: str) -> tuple[str, Any]:
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in "+-.0123456789":
        return "str", text
    if _TIMESTAMP.fullmatch(text):
        return "timestamp", text
    digits = text.replace("_", "") if text[0] != "." else text
    if len(digits) > _LONGEST_NUMBER:
        return "str", text
    integer = _integer(digits)
    if integer is not None:
        return "int", integer
    if _FLOAT.fullmatch(digits):
        number = float(digits)
        return ("str", text) if number in (float("inf"), float("-inf")) else ("float", number)
    return "str", text


def _integer(digits: str) -> int | None:
    match = _INTEGER.fullmatch(digits)
    if match is None:
        return None
    sign, number = match.groups()
    octal = len(number) > 1 and number[0] == "0" and number[1] in "01234567"
    value = int(number, 8 if octal else 0)
    value = -value if sign == "-" else value
    return value if -(2**63) <= value < 2**64 and not (sign == "+" and value >= 2**63) else None


def _binary(text: str) -> str:
    try:
        return b64decode(text, validate=False).decode("utf-8", "replace")
    except (Base64Error, ValueError) as error:
        raise DecodeError("yaml: !!binary value contains invalid base64 data") from error
