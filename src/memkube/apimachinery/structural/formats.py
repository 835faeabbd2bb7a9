"""String formats in schemas (kube-openapi ``validation/strfmt``).

Sources of the rules: apiextensions ``apiserver/validation/formats.go``, ``strfmt/default.go`` and govalidator.
"""

import re
import unicodedata
from collections.abc import Callable, Mapping
from datetime import date
from email.utils import parseaddr
from typing import Final

from memkube.apimachinery.base64 import decode_base64
from memkube.apimachinery.go_url import parse_request_uri
from memkube.apimachinery.ip_addresses import parse_cidr, parse_ip

_HEX: Final = "[0-9a-fA-F]"
_uuid = {
    version: re.compile(f"{_HEX}{{8}}-?{_HEX}{{4}}-?{third}-?{fourth}-?{_HEX}{{12}}", re.ASCII).fullmatch
    for version, third, fourth in (
        ("uuid", f"{_HEX}{{4}}", f"{_HEX}{{4}}"),
        ("uuid3", f"3{_HEX}{{3}}", f"{_HEX}{{4}}"),
        ("uuid4", f"4{_HEX}{{3}}", f"[89abAB]{_HEX}{{3}}"),
        ("uuid5", f"5{_HEX}{{3}}", f"[89abAB]{_HEX}{{3}}"),
    )
}
_hex_color = re.compile(r"#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})").fullmatch
_BYTE: Final = r"(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])"
_PERCENT: Final = r"(0|[1-9]\d?|100)%"
_rgb_color = re.compile(
    rf"rgb\(\s*({_BYTE}\s*,\s*{_BYTE}\s*,\s*{_BYTE}|{_PERCENT}\s*,\s*{_PERCENT}\s*,\s*{_PERCENT})\s*\)", re.ASCII
).fullmatch
_ssn = re.compile(r"\d{3}[- ]?\d{2}[- ]?\d{4}", re.ASCII).fullmatch
_card = re.compile(
    r"(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|(222[1-9]|22[3-9][0-9]|2[3-6][0-9]{2}|27[01][0-9]|2720)[0-9]{12}"
    r"|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}|3(?:0[0-5]|[68][0-9])[0-9]{11}"
    r"|(?:2131|1800|35\d{3})\d{11}|6[27][0-9]{14})",
    re.ASCII,
).fullmatch
_mac = re.compile(
    r"([0-9a-fA-F]{2}([:-]))([0-9a-fA-F]{2}\2){4}([0-9a-fA-F]{2}|(?:[0-9a-fA-F]{2}\2){2}[0-9a-fA-F]{2}"
    r"|(?:[0-9a-fA-F]{2}\2){14}[0-9a-fA-F]{2})"
    r"|[0-9a-fA-F]{4}(\.[0-9a-fA-F]{4}){2}(?:\.[0-9a-fA-F]{4})?(?:(?:\.[0-9a-fA-F]{4}){6})?"
).fullmatch
_object_id = re.compile(r"[0-9a-fA-F]{24}").fullmatch
_go_duration = re.compile(r"[-+]?(0|((\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h))+)", re.ASCII).fullmatch
_durations = re.compile(r"(\d+)\s*([A-Za-zµ]+)", re.ASCII).findall
_UNITS: Final = (
    ("ns", "nano"), ("us", "µs", "micro"), ("ms", "milli"), ("s", "sec"), ("m", "min"), ("h", "hr", "hour"),
    ("d", "day"), ("w", "wk", "week"),
)  # fmt: skip
_date = re.compile("([0-9]{4})-([0-9]{2})-([0-9]{2})").fullmatch
_clock = re.compile("([0-9]{2}):([0-9]{2}):([0-9]{2})(.[0-9]+)?(z|[+-][0-9]{2}:[0-9]{2})").fullmatch
_short_name = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?").fullmatch
_long_name = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*").fullmatch
_LONGEST_HOSTNAME: Final = 255
_LONGEST_LABEL: Final = 63
_LONGEST_NAME: Final = 253
_ISBN10: Final = 10
_ISBN13: Final = 13


def _is_date(text: str) -> bool:
    found = _date(text)
    if found is None:
        return False
    try:
        # Python's date() rejects the year 0. The year 400 has the same days, because the calendar repeats every 400
        # years.
        date(int(found[1]) or 400, int(found[2]), int(found[3]))
    except ValueError:
        return False
    return True


def _is_date_time(text: str) -> bool:
    day, separator, clock = text.lower().partition("t")
    found = _clock(clock.partition("t")[0])
    if not separator or not _is_date(day) or found is None:
        return False
    return int(found[1]) < 24 and int(found[2]) < 60 and int(found[3]) < 60


def _is_duration(text: str) -> bool:
    if _go_duration(text):
        return True
    return any(
        unit.lower() in variants or unit.lower().startswith(variants[-1])
        for _, unit in _durations(text)
        for variants in _UNITS
    )


def _is_email(text: str) -> bool:
    address = parseaddr(text)[1]
    local, at, domain = address.rpartition("@")
    return bool(at and local and domain) and not domain.startswith(".") and not domain.endswith(".")


def _is_symbol_or_letter(character: str) -> bool:
    # Kubernetes' pattern for host names allows the classes ``\p{S}`` (symbols) and ``\p{L}`` (letters): the Unicode
    # categories that begin with S or L.
    return unicodedata.category(character)[0] in "SL"


def _is_host_character(character: str) -> bool:
    if character.isascii():
        return character.isalnum() or character in "$+<=>^`|~"
    return _is_symbol_or_letter(character)


def _is_hostname(text: str) -> bool:
    labels = text.split(".")
    if len(text.encode()) > _LONGEST_HOSTNAME or any(not 0 < len(part.encode()) <= _LONGEST_LABEL for part in labels):
        return False
    if not all(_is_host_character(part[0]) and _is_host_character(part[-1]) for part in labels):
        return False
    if not all(_is_host_character(character) or character == "-" for part in labels for character in part):
        return False
    # If a host name has several labels, the last one is at least two letters long. If it has only one label, only the
    # second character may be a dash.
    if len(labels) == 1:
        return "-" not in text[2:]
    return len(labels[-1]) > 1 and all(character.isalpha() for character in labels[-1])


def _is_request_uri(text: str) -> bool:
    try:
        parse_request_uri(text)
    except ValueError:
        return False
    return True


def _is_byte(text: str) -> bool:
    if not text or len(text) % 4:
        return False
    try:
        decode_base64(text)
    except ValueError:
        return False
    return re.search(r"\s", text) is None


def _is_isbn10(text: str) -> bool:
    digits = re.sub(r"[\s-]+", "", text)
    if len(digits) != _ISBN10 or re.fullmatch(r"(?:[0-9]{9}X|[0-9]{10})", digits) is None:
        return False
    values = [10 if digit == "X" else int(digit) for digit in digits]
    return sum((index + 1) * value for index, value in enumerate(values)) % 11 == 0


def _is_isbn13(text: str) -> bool:
    digits = re.sub(r"[\s-]+", "", text)
    if len(digits) != _ISBN13 or re.fullmatch(r"[0-9]{13}", digits) is None:
        return False
    checked = sum(int(digit) * (3 if index % 2 else 1) for index, digit in enumerate(digits[:-1]))
    return (10 - checked % 10) % 10 == int(digits[-1])


def _is_credit_card(text: str) -> bool:
    digits = re.sub(r"[^0-9]+", "", text)
    if _card(digits) is None:
        return False
    total = 0
    for index, digit in enumerate(reversed(digits)):
        doubled = int(digit) * 2 if index % 2 else int(digit)
        total += doubled % 10 + 1 if doubled > 9 else doubled
    return total % 10 == 0


_FORMATS: Final[Mapping[str, Callable[[str], object]]] = {
    "bsonobjectid": _object_id,
    "byte": _is_byte,
    "cidr": lambda text: parse_cidr(text) is not None,
    "creditcard": _is_credit_card,
    "date": _is_date,
    "datetime": _is_date_time,
    "duration": _is_duration,
    "email": _is_email,
    "hexcolor": _hex_color,
    "hostname": _is_hostname,
    "ipv4": lambda text: parse_ip(text) is not None and "." in text,
    "ipv6": lambda text: parse_ip(text) is not None and ":" in text,
    "isbn": lambda text: _is_isbn10(text) or _is_isbn13(text),
    "isbn10": _is_isbn10,
    "isbn13": _is_isbn13,
    "k8slongname": lambda text: len(text) <= _LONGEST_NAME and _long_name(text),
    "k8sshortname": lambda text: len(text) <= _LONGEST_LABEL and _short_name(text),
    "mac": _mac,
    "password": lambda text: True,
    "rgbcolor": _rgb_color,
    "ssn": _ssn,
    "uri": _is_request_uri,
    **_uuid,
}
_NUMBERS: Final = {"integer": ("int32", "int64"), "number": ("float", "double")}


def is_known(name: str, of_type: str) -> bool:
    """True if Kubernetes checks values of the JSON type `of_type` against the format `name`.

    Unknown formats are not checked; creating a CustomResourceDefinition with such a format returns a warning.
    """
    if of_type in ("", "string"):
        return name.replace("-", "") in _FORMATS
    return name in _NUMBERS.get(of_type, ())


def has_format(text: str, name: str) -> bool:
    """True if a string conforms to the OpenAPI format `name`, such as ``date``.

    Raises KeyError if Kubernetes does not know the format.
    """
    return bool(_FORMATS[name.replace("-", "")](text))
