"""IP addresses in fields that once took any form: what is refused today, and what still earns a warning.

Sources: apimachinery's ``util/validation/ip.go`` and the parsers of Go's ``net`` and ``net/netip``.
"""

import re
from collections.abc import Collection, Sequence
from ipaddress import AddressValueError, IPv4Address, IPv6Address
from typing import Final, TypeAlias

from memkube.apimachinery.field_errors import FieldError, FieldPath, invalid
from memkube.apimachinery.shown_values import quoted

Address: TypeAlias = IPv4Address | IPv6Address

_DECIMALS: Final = re.compile(r"[0-9]+(\.[0-9]+){3}")


def parsed_address(text: str) -> Address | None:
    """The address that a text means, even with leading zeros; None where it means none."""
    if ":" not in text:
        return _ipv4(text)
    head, _, tail = text.rpartition(":")
    if "." in tail:
        embedded = _ipv4(tail)
        if embedded is None:
            return None
        text = f"{head}:{embedded}"
    try:
        return None if "%" in text else IPv6Address(text)
    except AddressValueError:
        return None


def validate_address(path: FieldPath, text: str, kept: Collection[str] = ()) -> list[FieldError]:
    """The text is an address without leading zeros and not an IPv4 address in IPv6 form, unless it was there before."""
    if text in kept:
        return []
    address = parsed_address(text)
    if address is None:
        return [invalid(path, text, "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)")]
    if has_leading_zeros(text):
        return [invalid(path, text, "must not have leading 0s")]
    if isinstance(address, IPv6Address) and address.ipv4_mapped:
        return [invalid(path, text, "must not be an IPv4-mapped IPv6 address")]
    return []


def address_warnings(path: FieldPath, text: str) -> list[str]:
    """What to say about an address that is right, but written in an unusual form."""
    address = parsed_address(text)
    if address is None:
        return []
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    if mapped or has_leading_zeros(text):
        return [f"{path}: non-standard IP address {quoted(text)} is invalid: use {quoted(str(mapped or address))}"]
    if isinstance(address, IPv6Address) and str(address) != text:
        return [f"{path}: IPv6 address {quoted(text)} should be in RFC 5952 canonical format ({quoted(str(address))})"]
    return []


def are_dual_stack(texts: Sequence[str]) -> bool:
    """Whether there are addresses of both families. Raises ValueError where a text is no address."""
    families = set()
    for index, text in enumerate(texts):
        address = parsed_address(text)
        if address is None:
            raise ValueError(f"invalid IP[{index}]: {text}")
        mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
        families.add(4 if mapped else address.version)
    return len(families) == 2


def has_leading_zeros(text: str) -> bool:
    """Whether a number of an IPv4 address begins with a zero that does not count."""
    tail = text.rpartition(":")[2]
    return "." in tail and any(part != "0" and part.startswith("0") for part in tail.split("."))


def _ipv4(text: str) -> IPv4Address | None:
    if _DECIMALS.fullmatch(text) is None:
        return None
    parts = [int(part) for part in text.split(".")]
    return IPv4Address(bytes(parts)) if max(parts) <= 255 else None
