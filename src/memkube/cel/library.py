"""What functions do, and what calling them costs."""

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
    """Functions by their names.

    `costs` are of those that cost other than cel-go says of its own. `patterns` tells which argument is a pattern: one
    that is written out must be valid before anything is evaluated. Those that are `unguarded` tell kinds apart by
    themselves, and do the same for all their overloads.
    """

    implementations: Implementations
    costs: Mapping[str, CallCost] = field(default_factory=dict)
    patterns: Mapping[str, int] = field(default_factory=dict)
    unguarded: frozenset[str] = frozenset()

    def overloads(self, name: str) -> list[Overload]:
        """The overloads of a function, in the order in which they are tried."""
        return read_functions({name: tuple(self.implementations[name])})[name]

    def extended(
        self,
        *implementations: Implementations,
        costs: Mapping[str, CallCost] | None = None,
        patterns: Mapping[str, int] | None = None,
    ) -> "Library":
        """With more functions, or more overloads of them."""
        more = {name: dict(overloads) for name, overloads in self.implementations.items()}
        for one in implementations:
            for name, overloads in one.items():
                more.setdefault(name, {}).update(overloads)
        merged_costs = {**self.costs, **(costs or {})}
        return Library(more, merged_costs, {**self.patterns, **(patterns or {})}, self.unguarded)


@cache
def base_library() -> Library:
    """The functions of `base_environment`."""
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
