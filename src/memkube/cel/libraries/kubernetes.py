"""Functions that Kubernetes adds to CEL (apiserver ``pkg/cel/library``)."""

from typing import Final

from memkube.cel.declarations import Signatures

_SUMMABLE: Final = ("int", "uint", "double", "duration")
_COMPARABLE: Final = ("int", "uint", "double", "bool", "duration", "timestamp", "string", "bytes")
_QUANTITY: Final = "kubernetes.Quantity"
_SEMVER: Final = "kubernetes.Semver"
_AUTHORIZER: Final = "kubernetes.authorization.Authorizer"
_RESOURCE: Final = "kubernetes.authorization.ResourceCheck"
_DECISION: Final = "kubernetes.authorization.Decision"


def _compared(kind: str) -> dict[str, tuple[str, ...]]:
    return {
        "isGreaterThan": (f"{kind}.({kind}): bool",),
        "isLessThan": (f"{kind}.({kind}): bool",),
        "compareTo": (f"{kind}.({kind}): int",),
    }


URLS: Final[Signatures] = {
    "url": ("(string): kubernetes.URL",),
    "isURL": ("(string): bool",),
    **dict.fromkeys(
        ("getScheme", "getHost", "getHostname", "getPort", "getEscapedPath"), ("kubernetes.URL.(): string",)
    ),
    "getQuery": ("kubernetes.URL.(): map(string, list(string))",),
}
REGEX: Final[Signatures] = {
    "find": ("string.(string): string",),
    "findAll": ("string.(string): list(string)", "string.(string, int): list(string)"),
}
LISTS: Final[Signatures] = {
    "isSorted": tuple(f"list({kind}).(): bool" for kind in _COMPARABLE),
    "sum": tuple(f"list({kind}).(): {kind}" for kind in _SUMMABLE),
    "max": tuple(f"list({kind}).(): {kind}" for kind in _COMPARABLE),
    "min": tuple(f"list({kind}).(): {kind}" for kind in _COMPARABLE),
    "indexOf": ("list(A).(A): int",),
    "lastIndexOf": ("list(A).(A): int",),
}
QUANTITIES: Final[Signatures] = {
    "quantity": (f"(string): {_QUANTITY}",),
    "isQuantity": ("(string): bool",),
    # Kubernetes declares `sign` as a global function, so that `quantity.sign()` does not compile.
    "sign": (f"({_QUANTITY}): int",),
    **_compared(_QUANTITY),
    "asApproximateFloat": (f"{_QUANTITY}.(): double",),
    "asInteger": (f"{_QUANTITY}.(): int",),
    "isInteger": (f"{_QUANTITY}.(): bool",),
    "add": (f"{_QUANTITY}.({_QUANTITY}): {_QUANTITY}", f"{_QUANTITY}.(int): {_QUANTITY}"),
    "sub": (f"{_QUANTITY}.({_QUANTITY}): {_QUANTITY}", f"{_QUANTITY}.(int): {_QUANTITY}"),
}
SEMVERS: Final[Signatures] = {
    "semver": (f"(string): {_SEMVER}", f"(string, bool): {_SEMVER}"),
    "isSemver": ("(string): bool", "(string, bool): bool"),
    **_compared(_SEMVER),
    **dict.fromkeys(("major", "minor", "patch"), (f"{_SEMVER}.(): int",)),
}
IPS: Final[Signatures] = {
    "ip": ("(string): net.IP",),
    "family": ("net.IP.(): int",),
    "ip.isCanonical": ("(string): bool",),
    **dict.fromkeys(
        ("isUnspecified", "isLoopback", "isLinkLocalMulticast", "isLinkLocalUnicast", "isGlobalUnicast"),
        ("net.IP.(): bool",),
    ),
    "isIP": ("(string): bool",),
    "string": ("(net.IP): string",),
}
CIDRS: Final[Signatures] = {
    "cidr": ("(string): net.CIDR",),
    "containsIP": ("net.CIDR.(string): bool", "net.CIDR.(net.IP): bool"),
    "containsCIDR": ("net.CIDR.(string): bool", "net.CIDR.(net.CIDR): bool"),
    "ip": ("net.CIDR.(): net.IP",),
    "prefixLength": ("net.CIDR.(): int",),
    "masked": ("net.CIDR.(): net.CIDR",),
    "isCIDR": ("(string): bool",),
    "string": ("(net.CIDR): string",),
}
FORMATS: Final[Signatures] = {
    "validate": ("kubernetes.NamedFormat.(string): optional_type(list(string))",),
    "format.named": ("(string): optional_type(kubernetes.NamedFormat)",),
    **{
        f"format.{name}": ("(): kubernetes.NamedFormat",)
        for name in (
            "dns1123Label",
            "dns1123Subdomain",
            "dns1035Label",
            "qualifiedName",
            "dns1123LabelPrefix",
            "dns1123SubdomainPrefix",
            "dns1035LabelPrefix",
            "labelValue",
            "uri",
            "uuid",
            "byte",
            "date",
            "datetime",
        )
    },
}
AUTHORIZERS: Final[Signatures] = {
    "path": (f"{_AUTHORIZER}.(string): kubernetes.authorization.PathCheck",),
    "group": (f"{_AUTHORIZER}.(string): kubernetes.authorization.GroupCheck",),
    "serviceAccount": (f"{_AUTHORIZER}.(string, string): {_AUTHORIZER}",),
    "resource": (f"kubernetes.authorization.GroupCheck.(string): {_RESOURCE}",),
    **dict.fromkeys(
        ("subresource", "namespace", "name", "fieldSelector", "labelSelector"), (f"{_RESOURCE}.(string): {_RESOURCE}",)
    ),
    "check": (f"kubernetes.authorization.PathCheck.(string): {_DECISION}", f"{_RESOURCE}.(string): {_DECISION}"),
    "errored": (f"{_DECISION}.(): bool",),
    "error": (f"{_DECISION}.(): string",),
    "allowed": (f"{_DECISION}.(): bool",),
    "reason": (f"{_DECISION}.(): string",),
}
JSON_PATCHES: Final[Signatures] = {"jsonpatch.escapeKey": ("(string): string",)}
"""Types and functions for expressions that create JSON patches."""
