"""IP addresses and CIDR blocks (apiserver ``pkg/cel/library/ip.go`` and ``cidr.go``)."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Final

from memkube.apimachinery.go_netip import Prefix, parse_addr, parse_prefix
from memkube.apimachinery.ip_addresses import Address
from memkube.apimachinery.shown_values import quoted
from memkube.cel.declarations import Implementations
from memkube.cel.errors import EvaluationError, no_such_overload
from memkube.cel.values import Opaque

_BITS_IN_BYTE: Final = 8


@dataclass(frozen=True, slots=True, eq=False)
class IP(Opaque):
    """An IP address. Comparison with a value of another type raises EvaluationError."""

    type_name: ClassVar[str] = "net.IP"
    address: Address

    @property
    def size(self) -> int:
        """Number of bytes of the address, from which costs are calculated."""
        return self.address.max_prefixlen // _BITS_IN_BYTE

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, IP):
            raise no_such_overload()
        return self.address == other.address

    def __hash__(self) -> int:
        return hash(self.address)

    def __str__(self) -> str:
        return str(self.address)


@dataclass(frozen=True, slots=True, eq=False)
class CIDR(Opaque):
    """A CIDR block. Comparison with a value of another type raises EvaluationError."""

    type_name: ClassVar[str] = "net.CIDR"
    prefix: Prefix

    @property
    def size(self) -> int:
        """Number of bytes of the network prefix, rounded up, from which costs are calculated."""
        return -(-self.prefix.bits // _BITS_IN_BYTE)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, CIDR):
            raise no_such_overload()
        return self.prefix == other.prefix

    def __hash__(self) -> int:
        return hash(self.prefix)

    def __str__(self) -> str:
        return str(self.prefix)


def _address(text: str) -> Address:
    """Parse an IP address. Raises ValueError with Kubernetes' message."""
    try:
        found = parse_addr(text)
    except ValueError as error:
        raise ValueError(f"IP Address {quoted(text)} parse error during conversion from string: {error}") from None
    if found.zone:
        raise ValueError(f"IP address {quoted(text)} with zone value is not allowed")
    _refuse_mapped(text, found.address)
    return found.address


def _refuse_mapped(text: str, address: Address) -> None:
    if address.version == 6 and address.ipv4_mapped is not None:
        raise ValueError(f"IPv4-mapped IPv6 address {quoted(text)} is not allowed")


def ip(text: str) -> IP:
    """Parse an IP address. Raises EvaluationError if it is invalid."""
    try:
        return IP(_address(text))
    except ValueError as error:
        raise EvaluationError(str(error)) from None


def _is_ip(text: str) -> bool:
    try:
        _address(text)
    except ValueError:
        return False
    return True


def _prefix(text: str) -> Prefix:
    """Parse a CIDR block. Raises ValueError with Kubernetes' message."""
    try:
        found = parse_prefix(text)
    except ValueError as error:
        raise ValueError(
            "network address parse error during conversion from string: "
            f"network address parse error during conversion from string: {error}"
        ) from None
    try:
        _refuse_mapped(text, found.address)
    except ValueError as error:
        raise ValueError(f"network address parse error during conversion from string: {error}") from None
    return found


def cidr(text: str) -> CIDR:
    """Parse a CIDR block. Raises EvaluationError if it is invalid."""
    try:
        return CIDR(_prefix(text))
    except ValueError as error:
        raise EvaluationError(str(error)) from None


def _is_cidr(text: str) -> bool:
    try:
        _prefix(text)
    except ValueError:
        return False
    return True


def _contains_ip(block: CIDR, address: IP) -> bool:
    return block.prefix.contains(address.address)


def _contains_ip_text(block: CIDR, text: str) -> bool:
    # As in Kubernetes, the error message does not contain the reason why the text is not an IP address.
    if not _is_ip(text):
        raise no_such_overload()
    return _contains_ip(block, ip(text))


def _contains_cidr(block: CIDR, other: CIDR) -> bool:
    return block.prefix.overlaps(other.prefix) and block.prefix.bits <= other.prefix.bits


def _asked(question: Callable[[Address], bool]) -> dict[str, Callable[[IP], bool]]:
    return {"net.IP.(): bool": lambda value: question(value.address)}


def _is_link_local_multicast(address: Address) -> bool:
    if address.version == 4:
        return address.packed.startswith(b"\xe0\0\0")
    # The low half of the second byte of a multicast address is its scope; 2 is link-local (RFC 4291, section 2.7).
    return address.packed[0] == 0xFF and address.packed[1] & 0x0F == 2


def _is_global_unicast(address: Address) -> bool:
    if address.version == 4 and int(address) == 2**32 - 1:
        return False
    return not (address.is_unspecified or address.is_loopback or address.is_multicast or address.is_link_local)


ADDRESSES: Final[Implementations] = {
    "ip": {"(string): net.IP": ip, "net.CIDR.(): net.IP": lambda block: IP(block.prefix.address)},
    "isIP": {"(string): bool": _is_ip},
    "ip.isCanonical": {"(string): bool": lambda text: str(ip(text).address) == text},
    "family": {"net.IP.(): int": lambda value: value.address.version},
    "isUnspecified": _asked(lambda address: address.is_unspecified),
    "isLoopback": _asked(lambda address: address.is_loopback),
    "isLinkLocalMulticast": _asked(_is_link_local_multicast),
    "isLinkLocalUnicast": _asked(lambda address: address.is_link_local),
    "isGlobalUnicast": _asked(_is_global_unicast),
    "cidr": {"(string): net.CIDR": cidr},
    "isCIDR": {"(string): bool": _is_cidr},
    "containsIP": {"net.CIDR.(string): bool": _contains_ip_text, "net.CIDR.(net.IP): bool": _contains_ip},
    "containsCIDR": {
        "net.CIDR.(string): bool": lambda block, text: _contains_cidr(block, cidr(text)),
        "net.CIDR.(net.CIDR): bool": _contains_cidr,
    },
    "prefixLength": {"net.CIDR.(): int": lambda block: block.prefix.bits},
    "masked": {"net.CIDR.(): net.CIDR": lambda block: CIDR(block.prefix.masked)},
    "string": {
        "(net.IP): string": str,
        "(net.CIDR): string": str,
    },
}
