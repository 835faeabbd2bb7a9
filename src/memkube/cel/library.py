"""Libraries of CEL functions: the implementations and costs that evaluation uses."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache

from memkube.cel import functions
from memkube.cel.costs.actual import CallCost
from memkube.cel.declarations import Implementations, Overload, read_functions
from memkube.cel.standard.conversions import CONVERSIONS
from memkube.cel.standard.maps import MAPS
from memkube.cel.standard.operators import OPERATORS
from memkube.cel.standard.optionals import OPTIONALS
from memkube.cel.standard.texts import TEXTS
from memkube.cel.standard.times import TIMES


@dataclass(frozen=True, slots=True)
class Library:
    """The functions that expressions can call: implementations by name and overload, costs and special properties.

    `costs` has the functions whose cost differs from cel-go's standard cost. `patterns` maps a function to the index of
    its regular expression argument; a literal pattern is checked before evaluation. Functions in `unguarded` check
    argument types themselves and have one implementation for all overloads.
    """

    implementations: Implementations
    costs: Mapping[str, CallCost] = field(default_factory=dict)
    patterns: Mapping[str, int] = field(default_factory=dict)
    unguarded: frozenset[str] = frozenset()

    def overloads(self, name: str) -> list[Overload]:
        """Return the overloads of a function, in the order in which evaluation tries them."""
        return read_functions({name: tuple(self.implementations[name])})[name]

    def extended(
        self,
        *implementations: Implementations,
        costs: Mapping[str, CallCost] | None = None,
        patterns: Mapping[str, int] | None = None,
    ) -> "Library":
        """Return a copy of the library with more functions, or with more overloads of its functions.

        `implementations` has the new functions, by name and overload. `costs` and `patterns` have the costs and the
        regular expression arguments of new functions, which are added to the library's attributes of the same names.
        """
        more = {name: dict(overloads) for name, overloads in self.implementations.items()}
        for implementation in implementations:
            for name, overloads in implementation.items():
                more.setdefault(name, {}).update(overloads)
        merged_costs = {**self.costs, **(costs or {})}
        return Library(more, merged_costs, {**self.patterns, **(patterns or {})}, self.unguarded)


@cache
def base_library() -> Library:
    """Return the library that implements all functions of CEL and Kubernetes, as declared by `base_environment`."""
    own_checks = frozenset({*OPERATORS, *TEXTS, "dyn", "type", *functions.UNGUARDED})
    return Library({}, patterns={"matches": 1}, unguarded=own_checks).extended(
        OPERATORS,
        CONVERSIONS,
        TEXTS,
        TIMES,
        OPTIONALS,
        MAPS,
        *functions.IMPLEMENTATIONS,
        costs=functions.COSTS,
        patterns=functions.PATTERNS,
    )
