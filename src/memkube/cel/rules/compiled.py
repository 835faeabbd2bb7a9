"""Compiled rules of ``x-kubernetes-validations`` (apiextensions ``schema/cel/compilation.go``)."""

from collections.abc import Sequence
from dataclasses import dataclass
from time import time_ns
from typing import Final

from memkube.apimachinery.model import Document
from memkube.cel.environment import Compiled, CompileError, Environment, base_environment
from memkube.cel.errors import InstantiationError
from memkube.cel.program import Program
from memkube.cel.rules.declared_types import LARGEST_REQUEST, DeclaredType
from memkube.cel.syntax import Ident
from memkube.cel.types import BOOL, STRING, optional_of

_BILLION: Final = 1_000_000_000
_SELF: Final = "self"
_OLD_SELF: Final = "oldSelf"


@dataclass(frozen=True, slots=True)
class CompiledExpression:
    """A compiled expression and its maximum estimated cost, or the compile error."""

    program: Program | None = None
    max_cost: int = 0
    error: str = ""


@dataclass(frozen=True, slots=True)
class CompiledRule:
    """A compiled validation rule.

    `message` is its compiled messageExpression; None if it has none, or if the rule does not compile.
    """

    rule: CompiledExpression
    message: CompiledExpression | None = None
    uses_old_self: bool = False


def max_values(declared: DeclaredType) -> int:
    """Return the maximum number of values of the type `declared` that one request can contain."""
    return LARGEST_REQUEST // (declared.min_bytes + 1)


def compile_rules(rules: Sequence[Document], declared: DeclaredType) -> list[CompiledRule]:
    """Compile `rules`, entries of ``x-kubernetes-validations``, for values of the type `declared`.

    Raises ApiError (501) if an expression is nested too deeply or too large.

    Kubernetes compiles new and stored expressions with different library versions. In Kubernetes 1.36 both versions
    have the same functions, so one environment is used for both.
    """
    # The type name changes with each compilation, as in Kubernetes, so that rules cannot depend on it.
    compiler = _Compiler(declared, f"selfType{time_ns() % _BILLION}")
    return [compiler.rule(rule) for rule in rules]


class _Compiler:
    def __init__(self, declared: DeclaredType, name: str) -> None:
        self._declared = declared
        self._type = declared.type(name)
        self._base = base_environment().extended({}, find_object=lambda other: declared.object_type(other, name))
        self._environments: dict[bool, Environment] = {}

    def _environment(self, *, optional: bool) -> Environment:
        if optional not in self._environments:
            old = optional_of(self._type) if optional else self._type
            self._environments[optional] = self._base.extended({_SELF: self._type, _OLD_SELF: old})
        return self._environments[optional]

    def rule(self, rule: Document) -> CompiledRule:
        if not rule.get("rule", "").strip():
            return CompiledRule(CompiledExpression())
        environment = self._environment(optional=bool(rule.get("optionalOldSelf")))
        compiled = environment.compile(rule["rule"])
        if isinstance(compiled, CompileError):
            return CompiledRule(CompiledExpression(error=compiled.detail))
        if compiled.result != BOOL:
            return CompiledRule(CompiledExpression(error="cel expression must evaluate to a bool"))
        uses_old_self = any(
            isinstance(node, Ident) and node.name.removeprefix(".") == _OLD_SELF for node, _ in compiled.ast.walk()
        )
        made = self._instantiate(compiled, "program")
        if made.error or not rule.get("messageExpression"):
            return CompiledRule(made, None, uses_old_self)
        return CompiledRule(made, self._message(rule["messageExpression"], environment), uses_old_self)

    def _message(self, expression: str, environment: Environment) -> CompiledExpression:
        compiled = environment.compile(expression)
        if isinstance(compiled, CompileError):
            return CompiledExpression(error=f"messageExpression {compiled.detail}")
        if compiled.result != STRING:
            return CompiledExpression(error="messageExpression must evaluate to a string")
        return self._instantiate(compiled, "messageExpression")

    def _instantiate(self, compiled: Compiled, what: str) -> CompiledExpression:
        try:
            program = Program(compiled)
        except InstantiationError as error:
            return CompiledExpression(error=f"{what} instantiation failed: {error}")
        return CompiledExpression(program, compiled.cost(self._declared.size_of).max)
