"""Parsing of IP addresses and prefixes, with the results and errors of Go's ``net/netip``."""

import re
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address
from typing import Final

from memkube.apimachinery.ip_addresses import Address
from memkube.apimachinery.shown_values import quoted

_hex_digits: Final = re.compile("[0-9a-fA-F]*")
_length: Final = re.compile("[1-9][0-9]{0,18}|0")
_first_mark: Final = re.compile("[.:%]")
_LONGEST: Final = 16
_MOST_IN_OCTET: Final = 255


@dataclass(frozen=True, slots=True)
class ZonedAddress:
    """An IP address with an IPv6 zone; the zone is "" if the address has none."""

    address: Address
    zone: str = ""


@dataclass(frozen=True, slots=True)
class Prefix:
    """An IP address with a prefix length in bits. The address may have bits set after the prefix."""

    address: Address
    bits: int

    def __str__(self) -> str:
        return f"{self.address}/{self.bits}"

    @property
    def block(self) -> int:
        """The first `bits` bits of the address, as an integer."""
        return int(self.address) >> (self.address.max_prefixlen - self.bits)

    @property
    def masked(self) -> "Prefix":
        """The same prefix, with all bits of the address after the prefix set to 0."""
        first = self.block << (self.address.max_prefixlen - self.bits)
        return Prefix(type(self.address)(first), self.bits)

    def contains(self, address: Address) -> bool:
        """True if the address is in this prefix."""
        return self.overlaps(Prefix(address, address.max_prefixlen))

    def overlaps(self, other: "Prefix") -> bool:
        """True if the two prefixes have addresses in common."""
        shared = min(self.bits, other.bits)
        same_family = self.address.version == other.address.version
        return same_family and Prefix(self.address, shared).block == Prefix(other.address, shared).block


def parse_addr(text: str) -> ZonedAddress:
    """Parse an address (``ParseAddr``). Raises ValueError with Go's message."""
    mark = _first_mark.search(text)
    if mark is None:
        raise _refused(text, "unable to parse IP")
    if mark[0] == "%":
        raise _refused(text, "missing IPv6 address")
    return ZonedAddress(IPv4Address(_octets(text, text))) if mark[0] == "." else _parse_ipv6(text)


def parse_prefix(text: str) -> Prefix:
    """Parse a prefix (``ParsePrefix``). Raises ValueError with Go's message."""
    written, slash, length = text.rpartition("/")
    why = ""
    try:
        found = parse_addr(written) if slash else None
    except ValueError as error:
        found, why = None, str(error)
    if found is None:
        why = why or "no '/'"
    elif found.zone:
        why = "IPv6 zones cannot be present in a prefix"
    elif _length.fullmatch(length) is None or int(length) >= 2**63:
        why = f"bad bits after slash: {quoted(length)}"
    elif int(length) > found.address.max_prefixlen:
        why = "prefix length out of range"
    else:
        return Prefix(found.address, int(length))
    raise ValueError(f"netip.ParsePrefix({quoted(text)}): {why}")


def _refused(text: str, why: str, at: str = "") -> ValueError:
    where = f" (at {quoted(at)})" if at else ""
    return ValueError(f"ParseAddr({quoted(text)}): {why}{where}")


def _octets(text: str, part: str) -> bytes:
    """Return the bytes of the IPv4 address `part`.

    `text` is the whole address: either the same text, or an IPv6 address that ends with `part`. Raises ValueError with
    Go's message about `text`.
    """
    octets: list[int] = []
    digits = ""
    for index, character in enumerate(part):
        if "0" <= character <= "9":
            if digits == "0":
                raise _refused(text, "IPv4 field has octet with leading zero")
            digits += character
            if int(digits) > _MOST_IN_OCTET:
                raise _refused(text, "IPv4 field has value >255")
        elif character == ".":
            if not digits or index == len(part) - 1:
                raise _refused(text, "IPv4 field must have at least one digit", part[index:])
            if len(octets) == 3:
                raise _refused(text, "IPv4 address too long")
            octets.append(int(digits))
            digits = ""
        else:
            raise _refused(text, "unexpected character", part[index:])
    if len(octets) < 3:
        raise _refused(text, "IPv4 address too short")
    return bytes([*octets, int(digits)])


def _parse_ipv6(text: str) -> ZonedAddress:
    written, percent, zone = text.partition("%")
    if percent and not zone:
        raise _refused(text, "zone must be a non-empty string")
    found, gap = _fields(text, written)
    if len(found) == _LONGEST and gap >= 0:
        raise _refused(text, "the :: must expand to at least one field of zeros")
    if len(found) < _LONGEST and gap < 0:
        raise _refused(text, "address string too short")
    return ZonedAddress(IPv6Address(found[:gap] + bytes(_LONGEST - len(found)) + found[gap:]), zone)


def _fields(text: str, rest: str) -> tuple[bytes, int]:
    """Return the bytes of the IPv6 groups in `rest`, and the index of ``::`` in these bytes (-1 without ``::``).

    Raises ValueError with Go's message about `text`, the whole address.
    """
    found = b""
    gap = -1
    if rest.startswith("::"):
        gap, rest = 0, rest[2:]
    while rest and len(found) < _LONGEST:
        part, rest = _next_part(text, rest, len(found), gap)
        found += part
        if not rest:
            break
        rest = _behind_colon(text, rest)
        if rest.startswith(":"):
            if gap >= 0:
                raise _refused(text, "multiple :: in address", rest)
            gap, rest = len(found), rest[1:]
    if rest:
        raise _refused(text, "trailing garbage after address", rest)
    return found, gap


def _next_part(text: str, rest: str, offset: int, gap: int) -> tuple[bytes, str]:
    """Parse the next IPv6 group of `rest`, or the IPv4 address at its end.

    Return the bytes of the group and the remaining text. `offset` is the number of bytes before the group, and `gap` is
    the index of ``::`` in these bytes, or -1. `text` is the whole address, for error messages.
    """
    digits = _hex_digits.match(rest)
    assert digits is not None
    if len(digits[0]) > 4:
        raise _refused(text, "each group must have 4 or less digits", rest)
    if not digits[0]:
        raise _refused(text, "each colon-separated field must have at least one digit", rest)
    behind = rest[digits.end() :]
    if not behind.startswith("."):
        return int(digits[0], 16).to_bytes(2, "big"), behind
    if gap < 0 and offset != 12:
        raise _refused(text, "embedded IPv4 address must replace the final 2 fields of the address", rest)
    if offset > 12:
        raise _refused(text, "too many hex fields to fit an embedded IPv4 at the end of the address", rest)
    return _octets(text, rest), ""


def _behind_colon(text: str, rest: str) -> str:
    if not rest.startswith(":"):
        raise _refused(text, "unexpected character, want colon", rest)
    if rest == ":":
        raise _refused(text, "colon must be followed by more characters", rest)
    return rest[1:]
