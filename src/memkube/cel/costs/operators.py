"""Estimated cost of CEL's own operators and functions (cel-go's ``checker/cost.go``)."""

from collections.abc import Sequence

from memkube.cel.costs.nodes import PATTERN, TRAVERSAL, CallArguments, Cost
from memkube.cel.costs.ranges import MAX, ONE, UNKNOWN, Range


def standard_cost(name: str, given: CallArguments) -> Cost:
    """Return the estimated cost of a call of the CEL operator or function `name`.

    `given` has the call's overload, and the estimated sizes of its target and arguments. This is not for logical
    operators and concatenation, which are estimated in ``expressions.py``.
    """
    kinds = [argument.kind for argument in given.overload.arguments]
    sizes = [argument.size for argument in given.arguments]
    target = given.target.size if given.target is not None else UNKNOWN
    match name:
        case "format":
            return Cost(target.scaled(TRAVERSAL))
        case "bytes" if kinds == ["string"]:
            return Cost(sizes[0].scaled(TRAVERSAL), Range(sizes[0].min, sizes[0].max * 4 % (MAX + 1)))
        case "string" if kinds == ["bytes"]:
            return Cost(sizes[0].scaled(TRAVERSAL), Range(sizes[0].min // 4, sizes[0].max))
        case "strings.quote":
            doubled = Range(sizes[0].min + 2, (sizes[0].max * 2 + 2) % (MAX + 1))
            return Cost(sizes[0].scaled(TRAVERSAL), doubled)
        case "startsWith" | "endsWith":
            return Cost(sizes[0].scaled(TRAVERSAL))
        case "@in" if kinds[1] == "list":
            return Cost(sizes[1].scaled(1))
        case "matches" if given.overload.member:
            return Cost(target.plus(ONE).scaled(TRAVERSAL).times(sizes[0].scaled(PATTERN)))
        case "contains":
            return Cost(target.scaled(TRAVERSAL).times(sizes[0].scaled(TRAVERSAL)))
        case "_==_" | "_!=_":
            return _shorter(sizes)
        case "_<_" | "_<=_" | "_>_" | "_>=_" if kinds[0] in ("string", "bytes"):
            return _shorter(sizes)
    return Cost(ONE)


def _shorter(sizes: Sequence[Range]) -> Cost:
    longest = min(sizes[0].max, sizes[1].max)
    return Cost(Range(1 if longest else 0, longest).scaled(TRAVERSAL))
