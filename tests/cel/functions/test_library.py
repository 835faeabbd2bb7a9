"""Every declared function is implemented, and no other."""

from collections.abc import Iterable, Mapping

from memkube.cel.functions import COSTS, IMPLEMENTATIONS, PATTERNS, UNGUARDED
from memkube.cel.libraries import kubernetes, standard
from memkube.cel.library import base_library

_DECLARED = (
    standard.OPERATORS,
    standard.FUNCTIONS,
    standard.OPTIONALS,
    standard.STRINGS,
    standard.SETS,
    standard.LISTS,
    standard.MAPS,
    kubernetes.URLS,
    kubernetes.REGEX,
    kubernetes.LISTS,
    kubernetes.AUTHORIZERS,
    kubernetes.QUANTITIES,
    kubernetes.IPS,
    kubernetes.CIDRS,
    kubernetes.FORMATS,
    kubernetes.SEMVERS,
    kubernetes.JSON_PATCHES,
)
_EVALUATED_OTHERWISE = frozenset(
    {
        *("_&&_", "_||_", "_?_:_", "_==_", "_!=_", "_[_]", "_[?_]", "_?._", "or", "orValue"),
        *("@not_strictly_false", "__not_strictly_false__"),
    }
)
"""Operators and macros that the evaluator implements itself, not as functions."""


def pairs(*tables: Mapping[str, Iterable[str]]) -> set[tuple[str, str]]:
    return {(name, signature) for table in tables for name, signatures in table.items() for signature in signatures}


def test_every_declared_function_does_something_and_no_other() -> None:
    declared = {pair for pair in pairs(*_DECLARED) if pair[0] not in _EVALUATED_OTHERWISE}
    known = {pair for pair in pairs(base_library().implementations) if pair[0] not in _EVALUATED_OTHERWISE}
    assert known == declared


def test_functions_of_libraries_are_not_told_twice() -> None:
    told = [pair for table in IMPLEMENTATIONS for pair in pairs(table)]
    assert len(told) == len(set(told))


def test_costs_and_patterns_are_of_functions_that_there_are() -> None:
    assert {*COSTS, *PATTERNS, *UNGUARDED} <= {name for table in IMPLEMENTATIONS for name in table}
