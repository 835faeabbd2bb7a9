"""Cost estimates of library function calls, with the sizes of their results.

Sources: apiserver ``pkg/cel/library/cost.go``, cel-go's ``ext/lists.go`` and ``ext/sets.go``.
"""

import math
from collections.abc import Callable
from typing import Final, TypeAlias

from memkube.cel.costs.nodes import LIST, PATTERN, STRUCT, TRAVERSAL, CallArguments, Cost
from memkube.cel.costs.ranges import MAX, ONE, Range, exact
from memkube.cel.syntax import Literal

_CHECK: Final = 350_000
_LONGEST_FORMAT: Final = 64
_LONGEST_FORMAT_PATTERN: Final = 128
_ADDRESS: Final = Range(4, 16)

_Estimate: TypeAlias = Callable[[CallArguments], Cost | None]


def _fixed(cost: int) -> _Estimate:
    return lambda _: Cost(exact(cost))


def _traverse_argument(factor: float, *, sized: bool = False) -> _Estimate:
    """Return the cost estimator of a function that reads all of its first argument.

    `factor` is the cost per character. If `sized` is true, the result of the function has the size of the argument.
    """

    def estimate(given: CallArguments) -> Cost | None:
        size = given.arguments[0].size
        return Cost(size.scaled(factor), size if sized else None)

    return estimate


def _traverse_target(given: CallArguments) -> Cost | None:
    assert given.target is not None
    size = given.target.size
    return Cost(size.scaled(TRAVERSAL), size)


def _selector(given: CallArguments) -> Cost | None:
    size = given.arguments[0].size
    return Cost(size.scaled(TRAVERSAL).plus(size.scaled(0.5).scaled(LIST + STRUCT)).plus(exact(LIST)))


def _traverse_items(given: CallArguments) -> Cost | None:
    target = given.target
    assert target is not None
    item = target.item()
    if item is None:
        return Cost(target.size.scaled(TRAVERSAL))
    cost = ONE
    if item.type.kind in ("string", "bytes"):
        cost = cost.plus(item.size.scaled(TRAVERSAL))
    return Cost(target.size.times(cost))


def _replace(given: CallArguments) -> Cost | None:
    assert given.target is not None
    whole, old, new = given.target.size, given.arguments[0].size, given.arguments[1].size
    kept_max = kept_min = 0
    if old.min == 0:
        largest, kept_max = min(whole.max + 1, MAX), whole.max
    elif new.max <= old.min:
        largest, kept_max = 0, whole.max
    else:
        largest = math.ceil(float(whole.max) / float(old.min))
    if old.max == 0:
        smallest, kept_min = min(whole.min + 1, MAX), whole.min
    elif old.max <= new.min:
        smallest, kept_min = 0, whole.min
    else:
        smallest = math.ceil(float(whole.min) / float(old.max))
    size = Range(smallest, largest).times(new).plus(Range(kept_min, kept_max))
    return Cost(whole.scaled(2 * TRAVERSAL), size)


def _split(given: CallArguments) -> Cost | None:
    assert given.target is not None
    size = given.target.size
    largest = size.max
    if len(given.arguments) > 1:
        limit = given.arguments[1].expr
        if isinstance(limit, Literal) and isinstance(limit.value, int):
            largest = limit.value % (MAX + 1)
    return Cost(size.scaled(2 * TRAVERSAL), Range(0, largest))


def _join(given: CallArguments) -> Cost | None:
    assert given.target is not None
    items = given.target.size
    item = given.target.item()
    size = items.times(item.size) if item is not None else exact(0)
    if given.arguments:
        between = Range(max(items.min - 1, 0), max(items.max - 1, 0))
        size = size.plus(given.arguments[0].size.times(between))
    return Cost(size.scaled(TRAVERSAL), size)


def _search(given: CallArguments) -> Cost | None:
    assert given.target is not None
    text = given.target.size
    pattern = given.arguments[0].size.scaled(PATTERN)
    return Cost(text.plus(ONE).scaled(TRAVERSAL).times(pattern), Range(0, text.max))


def _contains(block: bool) -> _Estimate:
    def estimate(given: CallArguments) -> Cost | None:
        cost = _ADDRESS.plus(_ADDRESS).scaled(TRAVERSAL)
        if block:
            cost = cost.plus(_ADDRESS.scaled(TRAVERSAL)).plus(ONE)
        if given.overload.arguments[1].kind == "string":
            cost = cost.plus(given.arguments[0].size.scaled(TRAVERSAL))
        return Cost(cost)

    return estimate


def _address(given: CallArguments) -> Cost | None:
    return Cost(ONE) if given.overload.member else _traverse_argument(TRAVERSAL)(given)


def _validate(given: CallArguments) -> Cost | None:
    return Cost(given.arguments[0].size.scaled(TRAVERSAL).scaled(_LONGEST_FORMAT_PATTERN * PATTERN))


def _equal(given: CallArguments) -> Cost | None:
    one, other = given.arguments
    if one.type != other.type:
        return None
    name = one.type.name
    if name == "kubernetes.NamedFormat":
        return Cost(Range(1, _LONGEST_FORMAT).scaled(TRAVERSAL))
    if name == "kubernetes.URL":
        size = other.known_size or ONE
        return Cost(Range(1, size.max).scaled(TRAVERSAL))
    flat = ("net.IP", "net.CIDR", "kubernetes.Quantity", "kubernetes.Semver")
    return Cost(ONE) if name in flat or name.startswith("kubernetes.authorization.") else None


def _new_list(size: Range, factor: float = 1) -> Cost:
    return Cost(size.scaled(factor).plus(ONE).plus(exact(LIST)), size)


def _slice(given: CallArguments) -> Cost | None:
    assert given.target is not None
    start, end = given.arguments
    return _new_list(exact((end.number(given.target.size.max) - start.number(0)) % (MAX + 1)))


def _flatten(given: CallArguments) -> Cost | None:
    assert given.target is not None
    depth = given.arguments[0].number(MAX) if given.arguments else 1
    return _new_list(given.target.size, depth)


def _copy_of_target(given: CallArguments) -> Cost | None:
    assert given.target is not None
    return _new_list(given.target.size)


def _compare_pairs(given: CallArguments) -> Cost | None:
    """Estimate the cost of a call that compares all pairs of items in a list.

    The list is the argument of the call `given` or, if the call has no argument, its receiver.
    """
    by = given.arguments[0] if given.arguments else given.target
    assert by is not None
    kind = given.overload.arguments[-1].parameters[0].kind
    factor = 2 + TRAVERSAL if kind in ("string", "bytes") else 2.0
    return _new_list(by.size.times(by.size), factor)


def _requested_length(given: CallArguments) -> Cost | None:
    return _new_list(exact(given.arguments[0].number(MAX)))


def _sets(factor: float) -> _Estimate:
    def estimate(given: CallArguments) -> Cost | None:
        one, other = given.arguments
        return Cost(one.size.times(other.size).scaled(factor).plus(ONE))

    return estimate


ESTIMATES: Final[dict[str, _Estimate]] = {
    "slice": _slice,
    "flatten": _flatten,
    "sort": _compare_pairs,
    "@sortByAssociatedKeys": _compare_pairs,
    "lists.range": _requested_length,
    "reverse": _copy_of_target,
    "distinct": _compare_pairs,
    "sets.contains": _sets(1),
    "sets.intersects": _sets(1),
    "sets.equivalent": _sets(2),
    "check": _fixed(_CHECK),
    "replace": _replace,
    "split": _split,
    "join": _join,
    "ip": _address,
    "ip.isCanonical": _traverse_argument(2 * TRAVERSAL),
    "containsIP": _contains(block=False),
    "containsCIDR": _contains(block=True),
    "validate": _validate,
    "_==_": _equal,
    **dict.fromkeys(("fieldSelector", "labelSelector"), _selector),
    **dict.fromkeys(("isSorted", "sum", "max", "min", "indexOf", "lastIndexOf"), _traverse_items),
    **dict.fromkeys(("url", "jsonpatch.escapeKey"), _traverse_argument(TRAVERSAL, sized=True)),
    **dict.fromkeys(("lowerAscii", "upperAscii", "substring", "trim"), _traverse_target),
    **dict.fromkeys(("find", "findAll"), _search),
    **dict.fromkeys(
        ("cidr", "isIP", "isCIDR", "quantity", "isQuantity", "semver", "isSemver"), _traverse_argument(TRAVERSAL)
    ),
    **dict.fromkeys(
        (
            *("serviceAccount", "path", "group", "resource", "subresource", "namespace", "name"),
            *("allowed", "reason", "error", "errored", "masked", "prefixLength", "family", "isUnspecified"),
            *("isLoopback", "isLinkLocalMulticast", "isLinkLocalUnicast", "isGlobalUnicast", "format.named"),
            *("sign", "asInteger", "isInteger", "asApproximateFloat", "isGreaterThan", "isLessThan", "compareTo"),
            *("add", "sub", "major", "minor", "patch"),
            *("getScheme", "getHostname", "getHost", "getPort", "getEscapedPath", "getQuery"),
        ),
        _fixed(1),
    ),
}
"""Functions that estimate the cost of a call, by name of the called CEL function.

A call has the standard cost if there is no estimator, or if the estimator returns None.
"""
