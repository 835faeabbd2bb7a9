"""Patterns of expressions: Go's, in linear time."""

from typing import Any

from memkube.apimachinery.go_regexp import compile_pattern
from memkube.cel.errors import EvaluationError


def compiled(pattern: str) -> Any:
    """The pattern, ready to search with. Raises EvaluationError in Go's words."""
    try:
        return compile_pattern(pattern)
    except ValueError as error:
        raise EvaluationError(str(error)) from None
