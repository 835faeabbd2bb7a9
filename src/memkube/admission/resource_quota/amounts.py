"""Arithmetic on amounts of resources by their names (apiserver ``quota/v1/resources.go``)."""

from collections.abc import Iterable, Mapping
from typing import Final, TypeAlias

from memkube.apimachinery.quantity import Quantity

Amounts: TypeAlias = Mapping[str, Quantity]
ZERO: Final = Quantity("0")
ONE: Final = Quantity("1")


def added(first: Amounts, second: Amounts) -> dict[str, Quantity]:
    """The sums."""
    total = dict(first)
    for name, quantity in second.items():
        total[name] = total[name].plus(quantity) if name in total else quantity
    return total


def increase(new: Amounts, old: Amounts) -> dict[str, Quantity]:
    """How much more the new ones are; what has become less does not count."""
    differences = {name: quantity.minus(old.get(name, ZERO)) for name, quantity in new.items()}
    return {name: difference for name, difference in differences.items() if difference.nano > 0}


def only(amounts: Amounts, names: Iterable[str]) -> dict[str, Quantity]:
    """Those of these names."""
    wanted = set(names)
    return {name: quantity for name, quantity in amounts.items() if name in wanted}


def same(first: Amounts, second: Amounts) -> bool:
    """Whether both have the same values."""
    return {n: q.nano for n, q in first.items()} == {n: q.nano for n, q in second.items()}


def written(amounts: Amounts) -> str:
    """As messages show them."""
    return ",".join(f"{name}={quantity}" for name, quantity in sorted(amounts.items()))
