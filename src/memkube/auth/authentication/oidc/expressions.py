"""Compilation of the CEL expressions that map and check claims and users (apiserver ``authentication/cel``)."""

from functools import cache
from typing import Final

from memkube.cel.declarations import Fields
from memkube.cel.environment import Compiled, CompileError, Environment, base_environment
from memkube.cel.types import ANY, BOOL, STRING, list_of, map_of

_USER: Final = Fields(
    "kubernetes.UserInfo",
    {
        "username": STRING,
        "uid": STRING,
        "groups": list_of(STRING),
        "extra": map_of(STRING, list_of(STRING)),
    },
)


def compile_mapping(expression: str) -> Compiled | CompileError:
    """Compile an expression over the variable ``claims`` whose result may have any type."""
    return _environment("claims").compile(expression)


def compile_rule(variable: str, expression: str) -> Compiled | CompileError:
    """Compile an expression over the variable ``claims`` or ``user`` whose result must be a boolean."""
    compiled = _environment(variable).compile(expression)
    if isinstance(compiled, CompileError) or compiled.result == BOOL:
        return compiled
    return CompileError(f"must evaluate to {BOOL}")


@cache
def _environment(variable: str) -> Environment:
    if variable == "user":
        return base_environment().extended({variable: _USER.type}, (_USER,))
    return base_environment().extended({variable: map_of(STRING, ANY)})
