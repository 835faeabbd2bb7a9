"""Compiling expressions in tests."""

from typing import Final

from memkube.cel.environment import CompileError, Environment, base_environment
from memkube.cel.types import DYN, INT, STRING, list_of, map_of

VARIABLES: Final = base_environment().extended(
    {"object": DYN, "n": INT, "s": STRING, "words": list_of(STRING), "counts": map_of(STRING, INT)}
)


def type_of(expression: str, environment: Environment = VARIABLES) -> str:
    """Return the type of a valid expression."""
    compiled = environment.compile(expression)
    assert not isinstance(compiled, CompileError), compiled.detail
    return str(compiled.result)


def errors_of(expression: str, environment: Environment = VARIABLES) -> list[str]:
    """Compile an invalid expression. Return its errors with their positions, without the marked source lines."""
    compiled = environment.compile(expression)
    assert isinstance(compiled, CompileError), compiled.result
    lines = compiled.detail.removeprefix("compilation failed: ").splitlines()
    start = "ERROR: <input>:"
    return [line.removeprefix(start) for line in lines if line.startswith(start)]
