"""Implementations and run-time costs of the library functions.

An implementation takes the receiver as first argument, and raises EvaluationError with the message of cel-go or
Kubernetes. Callers check that arguments have the declared types. This package does not depend on the evaluator.
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
"""Implementations of the library functions, one mapping for each library."""
PATTERNS: Final[Mapping[str, int]] = {"find": 1, "findAll": 1}
"""Index of the argument that is a regular expression, by function name."""
UNGUARDED: Final = frozenset({"sort", "@sortByAssociatedKeys", "flatten"})
"""Names of the functions whose implementations check the types of their arguments themselves."""

__all__ = ["COSTS", "IMPLEMENTATIONS", "PATTERNS", "UNGUARDED"]
