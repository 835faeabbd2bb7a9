"""What the functions of the libraries do, and what calling them costs.

Functions take values and return one, the receiver first, and raise EvaluationError in the words of cel-go and of the
reference. What they are called with is of the kinds that they declare. They know nobody who evaluates.
"""

from collections.abc import Mapping
from typing import Final

from memkube.cel.declarations import Implementations
from memkube.cel.functions.addresses import ADDRESSES
from memkube.cel.functions.authorizers import AUTHORIZERS
from memkube.cel.functions.costs import COSTS
from memkube.cel.functions.lists import LISTS, SETS
from memkube.cel.functions.quantities import QUANTITIES
from memkube.cel.functions.semvers import SEMVERS
from memkube.cel.functions.strings import JSON_PATCHES, STRINGS
from memkube.cel.functions.texts import FORMATS, REGEX, URLS

IMPLEMENTATIONS: Final[tuple[Implementations, ...]] = (
    STRINGS,
    LISTS,
    SETS,
    REGEX,
    URLS,
    FORMATS,
    ADDRESSES,
    QUANTITIES,
    SEMVERS,
    AUTHORIZERS,
    JSON_PATCHES,
)
"""All of them."""
PATTERNS: Final[Mapping[str, int]] = {"find": 1, "findAll": 1}
"""Which argument of a function is a pattern."""
UNGUARDED: Final = frozenset({"sort", "@sortByAssociatedKeys", "flatten"})
"""Functions that tell kinds apart by themselves."""

__all__ = ["COSTS", "IMPLEMENTATIONS", "PATTERNS", "UNGUARDED"]
