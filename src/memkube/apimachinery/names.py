"""Validation of names and other short strings. Generated names are made in ``random_values.py``.

Functions whose names begin with ``is_`` or end with ``_name`` return a list of error messages in Kubernetes' wording,
which is empty if the string is valid. Sources: apimachinery's ``util/validation``, ``api/validate/content`` and
``api/validation``.
"""

import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Final, TypeAlias

from memkube.apimachinery.go_strings import go_bytes

NameRule: TypeAlias = Callable[[str, bool], list[str]]
"""Function that validates an object name, or a generateName prefix if its second argument is true."""

LABEL_VALUE_MAX_LENGTH: Final = 63
SUBDOMAIN_MAX_LENGTH: Final = 253
_LONGEST_KEY: Final = SUBDOMAIN_MAX_LENGTH + len("/") + LABEL_VALUE_MAX_LENGTH

_LABEL: Final = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_SUBDOMAIN: Final = rf"{_LABEL}(\.{_LABEL})*"
_LABEL_UNDERSCORE: Final = "_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?"
_SUBDOMAIN_UNDERSCORE: Final = rf"{_LABEL_UNDERSCORE}(\.{_LABEL_UNDERSCORE})*"
_LABEL_1035: Final = "[a-z]([-a-z0-9]*[a-z0-9])?"
_KEY: Final = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
_LABEL_VALUE: Final = f"({_KEY})?"
_PERCENT: Final = "[0-9]+%"
_HEADER: Final = "[-A-Za-z0-9]+"
_CONFIG_MAP_KEY: Final = "[-._a-zA-Z0-9]+"
_C_IDENTIFIER: Final = "[A-Za-z_][A-Za-z0-9_]*"

_label = re.compile(_LABEL).fullmatch
_subdomain = re.compile(_SUBDOMAIN).fullmatch
_subdomain_underscore = re.compile(_SUBDOMAIN_UNDERSCORE).fullmatch
_label_1035 = re.compile(_LABEL_1035).fullmatch
_key = re.compile(_KEY).fullmatch
_SHORT_KEY: Final = "[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?"
_good_key = re.compile(rf"((?=[^/]{{1,{SUBDOMAIN_MAX_LENGTH}}}/){_SUBDOMAIN}/)?{_SHORT_KEY}").fullmatch
_good_label_value = re.compile(f"({_SHORT_KEY})?").fullmatch
_label_value = re.compile(_LABEL_VALUE).fullmatch
_percent = re.compile(_PERCENT).fullmatch
_header = re.compile(_HEADER).fullmatch
_config_map_key = re.compile(_CONFIG_MAP_KEY).fullmatch
_c_identifier = re.compile(_C_IDENTIFIER).fullmatch
_port_characters = re.compile("[-a-z0-9]+").fullmatch
_letter = re.compile("[a-z]").search

_SUBDOMAIN_PROSE: Final = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', "
    "and must start and end with an alphanumeric character"
)
_KEY_PROSE: Final = (
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character"
)


def regex_error(prose: str, pattern: str, *examples: str) -> str:
    """Return the error message for a string that must match the regular expression `pattern`.

    `prose` describes the allowed strings in words, and `examples` are such strings.
    """
    shown = " or ".join(f"'{example}', " for example in examples)
    return f"{prose} ({f'e.g. {shown}' if shown else ''}regex used for validation is '{pattern}')"


def range_error(low: int, high: int) -> str:
    """Return the error message for a number that is not between `low` and `high`."""
    return f"must be between {low} and {high}, inclusive"


def length_error(limit: int) -> str:
    """Return the error message for a string of more than `limit` characters."""
    return f"must be no more than {limit} characters"


def is_dns1123_label(value: str) -> list[str]:
    """Return error messages unless the value is an RFC 1123 label.

    It consists of at most 63 lower-case letters, digits and inner dashes.
    """
    errors = [length_error(63)] if _bytes(value) > 63 else []
    if _label(value) is None:
        if _subdomain(value):
            errors.append("must not contain dots")
        else:
            prose = (
                "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', "
                "and must start and end with an alphanumeric character"
            )
            errors.append(regex_error(prose, _LABEL, "my-name", "123-abc"))
    return errors


def is_dns1123_subdomain(value: str) -> list[str]:
    """Return error messages unless the value is an RFC 1123 subdomain, such as ``example.com``.

    Its labels consist of lower-case letters, digits and inner dashes, and are separated by dots.
    """
    errors = [length_error(SUBDOMAIN_MAX_LENGTH)] if _bytes(value) > SUBDOMAIN_MAX_LENGTH else []
    if _subdomain(value) is None:
        errors.append(regex_error(_SUBDOMAIN_PROSE, _SUBDOMAIN, "example.com"))
    return errors


def is_dns1123_subdomain_with_underscore(value: str) -> list[str]:
    """Return error messages unless the value is an RFC 1123 subdomain, whose labels can also contain underscores."""
    errors = [length_error(SUBDOMAIN_MAX_LENGTH)] if _bytes(value) > SUBDOMAIN_MAX_LENGTH else []
    if _subdomain_underscore(value) is None:
        prose = (
            "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', "
            "and must start and end with an alphanumeric character"
        )
        errors.append(regex_error(prose, _SUBDOMAIN_UNDERSCORE, "example.com"))
    return errors


def is_dns1035_label(value: str) -> list[str]:
    """Return error messages unless the value is an RFC 1035 label: an RFC 1123 label that starts with a letter."""
    errors = [length_error(63)] if _bytes(value) > 63 else []
    if _label_1035(value) is None:
        prose = (
            "a DNS-1035 label must consist of lower case alphanumeric characters or '-', "
            "start with an alphabetic character, and end with an alphanumeric character"
        )
        errors.append(regex_error(prose, _LABEL_1035, "my-name", "abc-123"))
    return errors


def is_qualified_name(value: str) -> list[str]:
    """Return error messages unless the value is a name with an optional DNS prefix, such as ``example.com/app``."""
    if len(value) <= _LONGEST_KEY and _is_good_key(value):
        return []
    prefix, slash, name = value.rpartition("/")
    errors: list[str] = []
    regex = regex_error(_KEY_PROSE, _KEY, "MyName", "my.name", "123-abc")
    if "/" in prefix:
        return [f"a valid label key {regex} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"]
    if slash:
        errors = [f"prefix part {error}" for error in _prefix_errors(prefix)]
    if not name:
        errors.append("name part must be non-empty")
    elif _bytes(name) > 63:
        errors.append("name part must be no more than 63 bytes")
    if _key(name) is None:
        errors.append(f"name part {regex}")
    return errors


@lru_cache(maxsize=4096)
def _is_good_key(value: str) -> bool:
    """True for a valid qualified name. Results are cached, because many objects use the same label keys."""
    return _good_key(value) is not None


def is_label_value(value: str) -> list[str]:
    """Return error messages unless the string is a valid value of a label. An empty value is valid."""
    if _good_label_value(value):
        return []
    errors = ["must be no more than 63 bytes"] if _bytes(value) > LABEL_VALUE_MAX_LENGTH else []
    if _label_value(value) is None:
        prose = f"a valid label must be an empty string or consist of {_KEY_PROSE.removeprefix('must consist of ')}"
        errors.append(regex_error(prose, _LABEL_VALUE, "MyValue", "my_value", "12345"))
    return errors


def is_config_map_key(value: str) -> list[str]:
    """Return error messages unless the value is a valid key of a ConfigMap or Secret, and so a file name."""
    errors = [length_error(SUBDOMAIN_MAX_LENGTH)] if _bytes(value) > SUBDOMAIN_MAX_LENGTH else []
    if _config_map_key(value) is None:
        prose = "a valid config key must consist of alphanumeric characters, '-', '_' or '.'"
        errors.append(regex_error(prose, _CONFIG_MAP_KEY, "key.name", "KEY_NAME", "key-name"))
    if value in (".", ".."):
        errors.append(f"must not be '{value}'")
    elif value.startswith(".."):
        errors.append("must not start with '..'")
    return errors


def is_env_var_name(value: str) -> list[str]:
    """Return error messages unless the value is an environment variable name: printable ASCII without ``=``."""
    errors = [] if value else ["environment variable name must be non-empty"]
    if not (value.isascii() and value.isprintable()) or "=" in value:
        errors.append(
            "a valid environment variable name must consist only of printable ASCII characters other than '='"
        )
    return errors


def is_c_identifier(value: str) -> list[str]:
    """Return error messages unless the value is a C identifier: letters, digits and ``_``, no digit first."""
    if _c_identifier(value):
        return []
    prose = (
        "a valid C identifier must start with alphabetic character or '_', "
        "followed by a string of alphanumeric characters or '_'"
    )
    return [regex_error(prose, _C_IDENTIFIER, "my_name", "MY_NAME", "MyName")]


def is_path_segment_name(value: str) -> list[str]:
    """Return error messages if the value is no URL path segment: ``.`` or ``..``, or a string with ``/`` or ``%``."""
    return [f"may not be '{value}'"] if value in (".", "..") else is_path_segment_prefix(value)


def is_path_segment_prefix(value: str) -> list[str]:
    """Return error messages if the value, the start of a URL path segment, contains ``/`` or ``%``."""
    if "/" not in value and "%" not in value:
        return []
    return [f"may not contain '{character}'" for character in "/%" if character in value]


def is_port_number(value: int) -> list[str]:
    """Return an error message unless the value is a TCP or UDP port number: 1 to 65535."""
    return [] if 1 <= value <= 65535 else [range_error(1, 65535)]


def is_port_name(value: str) -> list[str]:
    """Return error messages unless the value is a port name: a service name of RFC 6335, in lower case."""
    errors = [length_error(15)] if _bytes(value) > 15 else []
    if _port_characters(value) is None:
        errors.append("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)")
    if _letter(value) is None:
        errors.append("must contain at least one letter (a-z)")
    if "--" in value:
        errors.append("must not contain consecutive hyphens")
    if value and "-" in (value[0], value[-1]):
        errors.append("must not begin or end with a hyphen")
    return errors


def is_unix_id(value: int) -> list[str]:
    """Return an error message unless the value is a Unix user or group id: 0 to 2147483647."""
    return [] if 0 <= value <= 2**31 - 1 else [range_error(0, 2**31 - 1)]


def is_percent(value: str) -> list[str]:
    """Return an error message unless the value is a percentage such as ``50%``."""
    prose = "a valid percent string must be a numeric string followed by an ending '%'"
    return [] if _percent(value) else [regex_error(prose, _PERCENT, "1%", "93%")]


def is_http_header_name(value: str) -> list[str]:
    """Return an error message unless the value is an HTTP header name: letters, digits and dashes."""
    prose = "a valid HTTP header must consist of alphanumeric characters or '-'"
    return [] if _header(value) else [regex_error(prose, _HEADER, "X-Header-Name")]


def subdomain_name(name: str, is_prefix: bool = False) -> list[str]:
    """Return error messages unless an object's name is an RFC 1123 subdomain, as most kinds require.

    If `is_prefix` is true, `name` is a generateName, and must be the start of such a name.
    """
    return is_dns1123_subdomain(_completed(name) if is_prefix else name)


def label_name(name: str, is_prefix: bool = False) -> list[str]:
    """Return error messages unless an object's name is an RFC 1123 label, as Namespaces require.

    If `is_prefix` is true, `name` is a generateName, and must be the start of such a name.
    """
    return is_dns1123_label(_completed(name) if is_prefix else name)


def label_1035_name(name: str, is_prefix: bool = False) -> list[str]:
    """Return error messages unless an object's name is an RFC 1035 label, which starts with a letter.

    If `is_prefix` is true, `name` is a generateName, and must be the start of such a name.
    """
    return is_dns1035_label(_completed(name) if is_prefix else name)


def long_name(name: str, is_prefix: bool = False) -> list[str]:
    """Return error messages unless an object's name is an RFC 1123 subdomain.

    If `is_prefix` is true, `name` is a generateName, and is not checked. The message for a name that is too long counts
    bytes, whereas the message of `subdomain_name` counts characters.
    """
    if is_prefix:
        return []
    return [
        error.replace("characters", "bytes") if error.startswith("must be no more") else error
        for error in is_dns1123_subdomain(name)
    ]


def path_segment_name(name: str, is_prefix: bool = False) -> list[str]:
    """Return error messages unless an object's name is a valid URL path segment.

    If `is_prefix` is true, `name` is a generateName, and must be the start of such a name.
    """
    return is_path_segment_prefix(name) if is_prefix else is_path_segment_name(name)


def _prefix_errors(prefix: str) -> Iterable[str]:
    if not prefix:
        return ["must be non-empty"]
    return [
        error.replace("253 characters", "253 bytes") if error.startswith("must be no") else error
        for error in is_dns1123_subdomain(prefix)
    ]


def _completed(prefix: str) -> str:
    """Return a generateName prefix in a form that can be validated like a name.

    A name cannot end with a dash, but a prefix can: a final dash and the character before it become the letter ``a``.
    """
    return prefix[:-2] + "a" if len(prefix) > 1 and prefix.endswith("-") else prefix


def _bytes(text: str) -> int:
    return len(text) if text.isascii() else len(go_bytes(text))
