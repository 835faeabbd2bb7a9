"""Validation and warnings for IP address and CIDR fields that accept legacy formats.

Sources: apimachinery's ``util/validation/ip.go`` and the parsers of Go's ``net`` and ``net/netip``.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from ipaddress import AddressValueError, IPv4Address, IPv6Address, ip_network
from typing import Final, TypeAlias

from memkube.apimachinery.field_errors import FieldError, FieldPath, invalid
from memkube.apimachinery.shown_values import quoted

Address: TypeAlias = IPv4Address | IPv6Address

_DECIMALS: Final = re.compile(r"[0-9]+(\.[0-9]+){3}")
_DIGITS: Final = re.compile("[0-9]+")
_MAPPED_BITS: Final = 96


def parse_ip(text: str) -> Address | None:
    """Parse an IP address, allowing leading zeros; None if it is invalid."""
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


def validate_ip(path: FieldPath, text: str, kept: Collection[str] = ()) -> list[FieldError]:
    """Validate an IP address; leading zeros and IPv4-mapped IPv6 are errors.

    `kept` are the values in the stored object. An update may leave them unchanged even if they are invalid.
    """
    if text in kept:
        return []
    address = parse_ip(text)
    if address is None:
        return [invalid(path, text, "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)")]
    if has_leading_zeros(text):
        return [invalid(path, text, "must not have leading 0s")]
    if isinstance(address, IPv6Address) and address.ipv4_mapped:
        return [invalid(path, text, "must not be an IPv4-mapped IPv6 address")]
    return []


def validate_canonical_ip(path: FieldPath, text: str) -> list[FieldError]:
    """Validate that a text is an address in canonical form."""
    errors = validate_ip(path, text)
    canonical = str(parse_ip(text))
    if errors or text == canonical:
        return errors
    return [invalid(path, text, f"must be in canonical form ({quoted(canonical)})")]


def ip_warnings(path: FieldPath, text: str) -> list[str]:
    """Return warnings for a valid IP address that is not in canonical form."""
    address = parse_ip(text)
    if address is None:
        return []
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    if mapped or has_leading_zeros(text):
        return [f"{path}: non-standard IP address {quoted(text)} is invalid: use {quoted(str(mapped or address))}"]
    if isinstance(address, IPv6Address) and str(address) != text:
        return [f"{path}: IPv6 address {quoted(text)} should be in RFC 5952 canonical format ({quoted(str(address))})"]
    return []


def parse_unmapped_ip(text: str) -> Address | None:
    """Parse an IP address; None if it is invalid. IPv4-mapped IPv6 is returned as IPv4, as in Go's ``net``."""
    address = parse_ip(text)
    return address if address is None else _mapped(address) or address


def are_dual_stack(texts: Sequence[str]) -> bool:
    """True if the texts include both IPv4 and IPv6 addresses. Raises ValueError if a text is not an IP address."""
    families = set()
    for index, text in enumerate(texts):
        address = parse_ip(text)
        if address is None:
            raise ValueError(f"invalid IP[{index}]: {text}")
        mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
        families.add(4 if mapped else address.version)
    return len(families) == 2


def has_leading_zeros(text: str) -> bool:
    """True if an octet of an IPv4 address has leading zeros."""
    tail = text.rpartition(":")[2]
    return "." in tail and any(part != "0" and part.startswith("0") for part in tail.split("."))


def _ipv4(text: str) -> IPv4Address | None:
    if _DECIMALS.fullmatch(text) is None:
        return None
    parts = [int(part) for part in text.split(".")]
    return IPv4Address(bytes(parts)) if max(parts) <= 255 else None


@dataclass(frozen=True, slots=True)
class CidrBlock:
    """A CIDR block: an IP address with a prefix length in bits."""

    address: Address
    length: int

    @property
    def first(self) -> Address:
        """First address of the block."""
        bits = self.address.max_prefixlen - self.length
        return type(self.address)(int(self.address) >> bits << bits)

    @property
    def is_ipv4(self) -> bool:
        """True for an IPv4 block, including one written as IPv4-mapped IPv6."""
        return _mapped(self.address) is not None or self.address.version == 4

    @property
    def interface(self) -> str:
        """Text of the address with its prefix length, in canonical form. The bits after the prefix are kept."""
        mapped = _mapped(self.address)
        # As in Kubernetes, the prefix length of an IPv4-mapped IPv6 block is reduced by 96 only if it exceeds 32.
        length = self.length - _MAPPED_BITS if mapped and self.length > 32 else self.length
        return f"{mapped or self.address}/{length}"

    def contains(self, address: Address) -> bool:
        """True if the address is in the block; IPv4-mapped addresses count as IPv4."""
        return (_mapped(address) or address) in ip_network(str(self))

    def __str__(self) -> str:
        mapped = _mapped(self.first)
        return f"{mapped}/{self.length - _MAPPED_BITS}" if mapped else f"{self.first}/{self.length}"


def parse_cidr(text: str) -> CidrBlock | None:
    """Parse a CIDR block, allowing leading zeros; None if it is invalid."""
    address_text, slash, length_text = text.partition("/")
    address = parse_ip(address_text)
    if address is None or not slash or _DIGITS.fullmatch(length_text) is None:
        return None
    length = int(length_text)
    return CidrBlock(address, length) if length <= address.max_prefixlen else None


def validate_cidr(path: FieldPath, text: str, kept: Collection[str] = ()) -> list[FieldError]:
    """Validate a CIDR block; leading zeros and bits set after the prefix are errors.

    `kept` are the values in the stored object. An update may leave them unchanged even if they are invalid.
    """
    if text in kept:
        return []
    block = parse_cidr(text)
    if block is None:
        return [invalid(path, text, "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)")]
    if _has_leading_zeros(text):
        return [invalid(path, text, "must not have leading 0s in IP or prefix length")]
    if _mapped(block.address):
        return [invalid(path, text, "must not have an IPv4-mapped IPv6 address")]
    if block.address != block.first:
        return [invalid(path, text, "must not have bits set beyond the prefix length")]
    return []


def validate_canonical_cidr(path: FieldPath, text: str) -> list[FieldError]:
    """Validate that a text is a CIDR block in canonical form: without host bits, and written as Go writes it."""
    errors = validate_cidr(path, text)
    canonical = str(parse_cidr(text))
    if errors or text == canonical:
        return errors
    return [invalid(path, text, f"must be in canonical form ({quoted(canonical)})")]


def cidr_warnings(path: FieldPath, text: str) -> list[str]:
    """Return warnings for a valid CIDR block that is not in canonical form."""
    block = parse_cidr(text)
    if block is None:
        return []
    warnings: list[str] = []
    if block.address != block.first:
        single = f"{_mapped(block.address) or block.address}/{block.address.max_prefixlen}"
        choice = f"should be {quoted(str(block))} or {quoted(single)}?"
        warnings.append(f"{path}: CIDR value {quoted(text)} is ambiguous in this context ({choice})")
    if _has_leading_zeros(text) or _mapped(block.address):
        warnings.append(f"{path}: non-standard CIDR value {quoted(text)} is invalid: use {quoted(str(block))}")
    if not warnings and block.address.version == 6 and str(block) != text:
        canonical = quoted(str(block))
        warnings.append(f"{path}: IPv6 CIDR value {quoted(text)} should be in RFC 5952 canonical format ({canonical})")
    return warnings


def are_dual_stack_cidrs(texts: Sequence[str]) -> bool:
    """True if the texts include both IPv4 and IPv6 blocks. Raises ValueError if a text is not a CIDR block."""
    families = set()
    for index, text in enumerate(texts):
        block = parse_cidr(text)
        if block is None:
            raise ValueError(f"invalid CIDR[{index}]: <nil> (invalid CIDR address: {text})")
        families.add(block.is_ipv4)
    return len(families) == 2


def _mapped(address: Address) -> Address | None:
    return address.ipv4_mapped if isinstance(address, IPv6Address) else None


def _has_leading_zeros(text: str) -> bool:
    address, _, length = text.partition("/")
    return has_leading_zeros(address) or (len(length) > 1 and length.startswith("0"))
