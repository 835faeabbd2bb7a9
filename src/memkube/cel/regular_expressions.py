"""Go regular expressions (RE2), which match in linear time."""

from typing import Any

from memkube.apimachinery.go_regexp import compile_pattern
from memkube.cel.errors import EvaluationError


def compiled(pattern: str) -> Any:
    """Compile a regular expression. Raises EvaluationError with Go's message if it is invalid."""
    try:
        return compile_pattern(pattern)
    except ValueError as error:
        raise EvaluationError(str(error)) from None
