"""What an expression comes to in an environment."""

from typing import Final

from memkube.cel.environment import CompileError, Environment, base_environment
from memkube.cel.types import DYN, INT, STRING, list_of, map_of

VARIABLES: Final = base_environment().extended(
    {"object": DYN, "n": INT, "s": STRING, "words": list_of(STRING), "counts": map_of(STRING, INT)}
)


def type_of(expression: str, environment: Environment = VARIABLES) -> str:
    """The type of a valid expression."""
    compiled = environment.compile(expression)
    assert not isinstance(compiled, CompileError), compiled.detail
    return str(compiled.result)


def errors_of(expression: str, environment: Environment = VARIABLES) -> list[str]:
    """The places and messages of what is wrong, without the lines that are drawn below them."""
    compiled = environment.compile(expression)
    assert isinstance(compiled, CompileError), compiled.result
    lines = compiled.detail.removeprefix("compilation failed: ").splitlines()
    start = "ERROR: <input>:"
    return [line.removeprefix(start) for line in lines if line.startswith(start)]
