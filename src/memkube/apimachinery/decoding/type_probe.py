"""The kind of an object whose type is not known yet. Source: apimachinery's ``serializer/json/meta.go``."""

from typing import Any, Final

from memkube.apimachinery.decoding.errors import DecodeError
from memkube.apimachinery.decoding.go_types import value_name
from memkube.apimachinery.decoding.json_tree import Number

_PREFIX: Final = "couldn't get version/kind; json parse error: "
_STRUCT: Final = (
    'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }'
)
_FIELDS: Final = {"apiversion": "apiVersion", "kind": "kind"}
_SUMMARY_BYTES: Final = 30


def probe_type(data: Any) -> tuple[str, str]:
    """The apiVersion and the kind of parsed data, "" where it has none.

    The reference reads these two without regard to the case of their names. Raises DecodeError.
    """
    if data is None:
        return "", ""
    if not isinstance(data, dict):
        raise unprobed(f"json: cannot unmarshal {value_name(data)} into Go value of type {_STRUCT}")
    found = {"apiVersion": "", "kind": ""}
    for key, value in data.items():
        name = _FIELDS.get(key.casefold()) if len(key) in (4, 10) else None
        if name is None or value is None:
            continue
        if not isinstance(value, str) or isinstance(value, Number):
            raise unprobed(f"json: cannot unmarshal {value_name(value)} into Go struct field .{name} of type string")
        found[name] = value
    _check_group_version(found["apiVersion"])
    return found["apiVersion"], found["kind"]


def unprobed(message: str) -> DecodeError:
    """The error of a body that is no JSON object, from what the parser says of it."""
    return DecodeError(_PREFIX + message)


def summarized(body: bytes) -> str:
    """The beginning of a body as error messages quote it: objects as text, anything else in hexadecimal digits."""
    if not body:
        return "<empty>"
    head = body[:_SUMMARY_BYTES]
    text = head.decode("utf-8", "replace") if body[:1] == b"{" else head.hex()
    return f"{text} ..." if len(body) > _SUMMARY_BYTES else text


def _check_group_version(api_version: str) -> None:
    if api_version.count("/") > 1:
        raise DecodeError(f"unexpected GroupVersion string: {api_version}")
