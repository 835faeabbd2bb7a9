"""Arithmetic on resource lists (apiserver ``quota/v1/resources.go``)."""

from collections.abc import Iterable, Mapping
from typing import Final, TypeAlias

from memkube.apimachinery.quantity import Quantity

Amounts: TypeAlias = Mapping[str, Quantity]
ZERO: Final = Quantity("0")
ONE: Final = Quantity("1")


def add(first: Amounts, second: Amounts) -> dict[str, Quantity]:
    """Return the sum of two resource lists, which contains every resource that is in one of them."""
    total = dict(first)
    for name, quantity in second.items():
        total[name] = total[name].plus(quantity) if name in total else quantity
    return total


def positive_difference(new: Amounts, old: Amounts) -> dict[str, Quantity]:
    """Return `new` minus `old`, for the resources whose amount in `new` is greater."""
    differences = {name: quantity.minus(old.get(name, ZERO)) for name, quantity in new.items()}
    return {name: difference for name, difference in differences.items() if difference.nano > 0}


def mask(amounts: Amounts, names: Iterable[str]) -> dict[str, Quantity]:
    """Return a copy of a resource list that has only the resources in `names`."""
    wanted = set(names)
    return {name: quantity for name, quantity in amounts.items() if name in wanted}


def equals(first: Amounts, second: Amounts) -> bool:
    """True if both resource lists have the same amounts."""
    return {n: q.nano for n, q in first.items()} == {n: q.nano for n, q in second.items()}


def format_amounts(amounts: Amounts) -> str:
    """Format a resource list as in messages of kube-apiserver: ``limits.cpu=2,pods=1``."""
    return ",".join(f"{name}={quantity}" for name, quantity in sorted(amounts.items()))
