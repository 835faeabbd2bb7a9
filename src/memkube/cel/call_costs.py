"""What calls of functions cost at most, and how large their results are.

Sources: apiserver ``pkg/cel/library/cost.go``, cel-go's ``checker/cost.go``, ``ext/lists.go`` and ``ext/sets.go``.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple, TypeAlias

from memkube.cel.declarations import Overload
from memkube.cel.ranges import MOST, ONE, UNKNOWN, Range, exactly
from memkube.cel.syntax import Expr, Literal
from memkube.cel.types import Type

TRAVERSAL: Final = 0.1
"""Of each character of a text that is gone through."""
_PATTERN: Final = 0.25
LIST: Final = 10
STRUCT: Final = 40
_CHECK: Final = 350_000
_LONGEST_FORMAT: Final = 64
_LONGEST_FORMAT_PATTERN: Final = 128
_ADDRESS: Final = Range(4, 16)

SizeOf: TypeAlias = Callable[[tuple[str, ...]], Range | None]
"""How large what a path leads to can be; None where that is not known."""


class Cost(NamedTuple):
    """What a call costs without its arguments, and the size of its result where that is known."""

    cost: Range
    size: Range | None = None


@dataclass(frozen=True, slots=True)
class Node:
    """What a call is given: where it comes from, its type and its size as far as they are known."""

    path: tuple[str, ...]
    type: Type
    expr: Expr | None
    known_size: Range | None
    size_of: SizeOf

    @property
    def size(self) -> Range:
        """The size, or that nothing is known of it."""
        return self.known_size or self.size_of(self.path) or UNKNOWN

    def item(self) -> "Node | None":
        """What a list holds; None of what is none."""
        if not self.type.parameters:
            return None
        path = (*self.path, "@items") if self.path else ()
        return replace(self, path=path, type=self.type.parameters[0], expr=None, known_size=None)

    def number(self, otherwise: int) -> int:
        """The number that is written out."""
        if isinstance(self.expr, Literal) and type(self.expr.value) is int:
            return max(self.expr.value, 0)
        return otherwise


@dataclass(frozen=True, slots=True)
class Given:
    """A call: its overload, what it is called on, and its arguments."""

    overload: Overload
    target: Node | None
    arguments: Sequence[Node]


_Estimate: TypeAlias = Callable[[Given], Cost | None]


def _flat(cost: int) -> _Estimate:
    return lambda _: Cost(exactly(cost))


def _read(factor: float, *, sized: bool = False) -> _Estimate:
    """Goes through the first argument."""

    def estimate(given: Given) -> Cost | None:
        size = given.arguments[0].size
        return Cost(size.scaled(factor), size if sized else None)

    return estimate


def _gone_through(given: Given) -> Cost | None:
    assert given.target is not None
    size = given.target.size
    return Cost(size.scaled(TRAVERSAL), size)


def _selector(given: Given) -> Cost | None:
    size = given.arguments[0].size
    return Cost(size.scaled(TRAVERSAL).plus(size.scaled(0.5).scaled(LIST + STRUCT)).plus(exactly(LIST)))


def _each_item(given: Given) -> Cost | None:
    target = given.target
    assert target is not None
    item = target.item()
    if item is None:
        return Cost(target.size.scaled(TRAVERSAL))
    cost = ONE
    if item.type.kind in ("string", "bytes"):
        cost = cost.plus(item.size.scaled(TRAVERSAL))
    return Cost(target.size.times(cost))


def _replaced(given: Given) -> Cost | None:
    assert given.target is not None
    whole, old, new = given.target.size, given.arguments[0].size, given.arguments[1].size
    kept_most = kept_least = 0
    if old.least == 0:
        most, kept_most = min(whole.most + 1, MOST), whole.most
    elif new.most <= old.least:
        most, kept_most = 0, whole.most
    else:
        most = math.ceil(float(whole.most) / float(old.least))
    if old.most == 0:
        least, kept_least = min(whole.least + 1, MOST), whole.least
    elif old.most <= new.least:
        least, kept_least = 0, whole.least
    else:
        least = math.ceil(float(whole.least) / float(old.most))
    size = Range(least, most).times(new).plus(Range(kept_least, kept_most))
    return Cost(whole.scaled(2 * TRAVERSAL), size)


def _split(given: Given) -> Cost | None:
    assert given.target is not None
    size = given.target.size
    most = size.most
    if len(given.arguments) > 1:
        limit = given.arguments[1].expr
        if isinstance(limit, Literal) and isinstance(limit.value, int):
            most = limit.value % (MOST + 1)
    return Cost(size.scaled(2 * TRAVERSAL), Range(0, most))


def _joined(given: Given) -> Cost | None:
    assert given.target is not None
    items = given.target.size
    item = given.target.item()
    size = items.times(item.size) if item is not None else exactly(0)
    if given.arguments:
        between = Range(max(items.least - 1, 0), max(items.most - 1, 0))
        size = size.plus(given.arguments[0].size.times(between))
    return Cost(size.scaled(TRAVERSAL), size)


def _found(given: Given) -> Cost | None:
    assert given.target is not None
    text = given.target.size
    pattern = given.arguments[0].size.scaled(_PATTERN)
    return Cost(text.plus(ONE).scaled(TRAVERSAL).times(pattern), Range(0, text.most))


def _contains(block: bool) -> _Estimate:
    def estimate(given: Given) -> Cost | None:
        cost = _ADDRESS.plus(_ADDRESS).scaled(TRAVERSAL)
        if block:
            cost = cost.plus(_ADDRESS.scaled(TRAVERSAL)).plus(ONE)
        if given.overload.arguments[1].kind == "string":
            cost = cost.plus(given.arguments[0].size.scaled(TRAVERSAL))
        return Cost(cost)

    return estimate


def _address(given: Given) -> Cost | None:
    return Cost(ONE) if given.overload.member else _read(TRAVERSAL)(given)


def _validated(given: Given) -> Cost | None:
    return Cost(given.arguments[0].size.scaled(TRAVERSAL).scaled(_LONGEST_FORMAT_PATTERN * _PATTERN))


def _equal(given: Given) -> Cost | None:
    one, other = given.arguments
    if one.type != other.type:
        return None
    name = one.type.name
    if name == "kubernetes.NamedFormat":
        return Cost(Range(1, _LONGEST_FORMAT).scaled(TRAVERSAL))
    if name == "kubernetes.URL":
        size = other.known_size or ONE
        return Cost(Range(1, size.most).scaled(TRAVERSAL))
    flat = ("net.IP", "net.CIDR", "kubernetes.Quantity", "kubernetes.Semver")
    return Cost(ONE) if name in flat or name.startswith("kubernetes.authorization.") else None


def _new_list(size: Range, factor: float = 1) -> Cost:
    return Cost(size.scaled(factor).plus(ONE).plus(exactly(LIST)), size)


def _sliced(given: Given) -> Cost | None:
    assert given.target is not None
    start, end = given.arguments
    return _new_list(exactly((end.number(given.target.size.most) - start.number(0)) % (MOST + 1)))


def _flattened(given: Given) -> Cost | None:
    assert given.target is not None
    depth = given.arguments[0].number(MOST) if given.arguments else 1
    return _new_list(given.target.size, depth)


def _of_target(given: Given) -> Cost | None:
    assert given.target is not None
    return _new_list(given.target.size)


def _compared(given: Given) -> Cost | None:
    """Each with each other: of the argument, where there is one, or of the list itself."""
    by = given.arguments[0] if given.arguments else given.target
    assert by is not None
    kind = given.overload.arguments[-1].parameters[0].kind
    factor = 2 + TRAVERSAL if kind in ("string", "bytes") else 2.0
    return _new_list(by.size.times(by.size), factor)


def _counted(given: Given) -> Cost | None:
    return _new_list(exactly(given.arguments[0].number(MOST)))


def _sets(factor: float) -> _Estimate:
    def estimate(given: Given) -> Cost | None:
        one, other = given.arguments
        return Cost(one.size.times(other.size).scaled(factor).plus(ONE))

    return estimate


ESTIMATES: Final[dict[str, _Estimate]] = {
    "slice": _sliced,
    "flatten": _flattened,
    "sort": _compared,
    "@sortByAssociatedKeys": _compared,
    "lists.range": _counted,
    "reverse": _of_target,
    "distinct": _compared,
    "sets.contains": _sets(1),
    "sets.intersects": _sets(1),
    "sets.equivalent": _sets(2),
    "check": _flat(_CHECK),
    "replace": _replaced,
    "split": _split,
    "join": _joined,
    "ip": _address,
    "ip.isCanonical": _read(2 * TRAVERSAL),
    "containsIP": _contains(block=False),
    "containsCIDR": _contains(block=True),
    "validate": _validated,
    "_==_": _equal,
    **dict.fromkeys(("fieldSelector", "labelSelector"), _selector),
    **dict.fromkeys(("isSorted", "sum", "max", "min", "indexOf", "lastIndexOf"), _each_item),
    **dict.fromkeys(("url", "jsonpatch.escapeKey"), _read(TRAVERSAL, sized=True)),
    **dict.fromkeys(("lowerAscii", "upperAscii", "substring", "trim"), _gone_through),
    **dict.fromkeys(("find", "findAll"), _found),
    **dict.fromkeys(("cidr", "isIP", "isCIDR", "quantity", "isQuantity", "semver", "isSemver"), _read(TRAVERSAL)),
    **dict.fromkeys(
        (
            *("serviceAccount", "path", "group", "resource", "subresource", "namespace", "name"),
            *("allowed", "reason", "error", "errored", "masked", "prefixLength", "family", "isUnspecified"),
            *("isLoopback", "isLinkLocalMulticast", "isLinkLocalUnicast", "isGlobalUnicast", "format.named"),
            *("sign", "asInteger", "isInteger", "asApproximateFloat", "isGreaterThan", "isLessThan", "compareTo"),
            *("add", "sub", "major", "minor", "patch"),
            *("getScheme", "getHostname", "getHost", "getPort", "getEscapedPath", "getQuery"),
        ),
        _flat(1),
    ),
}
"""By function. Those that are not here, or of which nothing is said, are CEL's own operators or cost one."""


def standard_cost(name: str, given: Given) -> Cost:
    """What functions and operators of CEL itself cost, but for the logical ones and additions."""
    kinds = [argument.kind for argument in given.overload.arguments]
    sizes = [argument.size for argument in given.arguments]
    target = given.target.size if given.target is not None else UNKNOWN
    match name:
        case "format":
            return Cost(target.scaled(TRAVERSAL))
        case "bytes" if kinds == ["string"]:
            return Cost(sizes[0].scaled(TRAVERSAL), Range(sizes[0].least, sizes[0].most * 4 % (MOST + 1)))
        case "string" if kinds == ["bytes"]:
            return Cost(sizes[0].scaled(TRAVERSAL), Range(sizes[0].least // 4, sizes[0].most))
        case "strings.quote":
            doubled = Range(sizes[0].least + 2, (sizes[0].most * 2 + 2) % (MOST + 1))
            return Cost(sizes[0].scaled(TRAVERSAL), doubled)
        case "startsWith" | "endsWith":
            return Cost(sizes[0].scaled(TRAVERSAL))
        case "@in" if kinds[1] == "list":
            return Cost(sizes[1].scaled(1))
        case "matches" if given.overload.member:
            return Cost(target.plus(ONE).scaled(TRAVERSAL).times(sizes[0].scaled(_PATTERN)))
        case "contains":
            return Cost(target.scaled(TRAVERSAL).times(sizes[0].scaled(TRAVERSAL)))
        case "_==_" | "_!=_":
            return _shorter(sizes)
        case "_<_" | "_<=_" | "_>_" | "_>=_" if kinds[0] in ("string", "bytes"):
            return _shorter(sizes)
    return Cost(ONE)


def _shorter(sizes: Sequence[Range]) -> Cost:
    most = min(sizes[0].most, sizes[1].most)
    return Cost(Range(1 if most else 0, most).scaled(TRAVERSAL))
