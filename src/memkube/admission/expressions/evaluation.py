"""Expressions that belong together, evaluated for one request (apiserver ``admission/plugin/cel``)."""

import asyncio
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeVar

import orjson

from memkube.admission.matching.rules import namespace_of
from memkube.apimachinery.model import Document
from memkube.apimachinery.shown_values import quoted
from memkube.apis.admissionregistration.v1.rules.expressions import Expressions
from memkube.cel.environment import CompileError
from memkube.cel.errors import EvaluationError
from memkube.cel.functions.authorizers import Authorizer, ResourceCheck, SubjectAuthorizer
from memkube.cel.identifiers import unescaped
from memkube.cel.program import Budget, Program
from memkube.cel.types import Type
from memkube.cel.values import MISSING, MapValue, Value
from memkube.registry.declarations.admission import Attributes

_loop: Final = re.compile(r"\.\s*(?:all|exists\w*|filter|map|transform\w+|sortBy)\s*\(").search
T = TypeVar("T")
D = TypeVar("D", Document, Document | None)
OUT_OF_BUDGET: Final = "validation failed due to running out of cost budget, no further validation rules will be run"
"""What is said where a BudgetExhausted ends the evaluation of several expressions."""
MOST_COST: Final = 10_000_000
"""What the expressions of one policy may cost together."""
MOST_COST_OF_CONDITIONS: Final = 2_500_000


@dataclass(frozen=True, slots=True)
class Expression:
    """An expression that is ready to be evaluated, or `error`, which tells why it is not."""

    text: str
    program: Program | None = None
    error: str = ""

    @classmethod
    def compiled(cls, known: Expressions, text: str, results: tuple[Type, ...], **may_name: bool) -> "Expression":
        """Compiles an expression that comes to one of these types; see Expressions.program for the rest."""
        program = known.program(text, results, **may_name)
        if isinstance(program, CompileError):
            return cls(text, error=program.detail)
        return cls(text, program)


def compiled_variables(known: Expressions, variables: Mapping[str, str]) -> dict[str, Expression]:
    """Variables by their names; `known` knows them from now on, each from the next one on."""
    made = {}
    for name, text in variables.items():
        program = known.variable(name, text)
        error = program.detail if isinstance(program, CompileError) else ""
        made[name] = Expression(text, None if isinstance(program, CompileError) else program, error)
    return made


def has_loops(*texts: str) -> bool:
    """Whether evaluating these expressions may take long: all else in them is over at once."""
    return any(_loop(text) for text in texts)


async def evaluated(evaluate: Callable[[], T], *, loops: bool) -> T:
    """What `evaluate` returns, which runs in a thread where it may take long, so that other requests go on."""
    return await asyncio.to_thread(evaluate) if loops else evaluate()


def plain(document: D) -> D:
    """An object whose texts and numbers are nothing else, as expressions tell types apart."""
    copied: D = orjson.loads(orjson.dumps(document))
    return copied


@dataclass(frozen=True, slots=True)
class Inputs:
    """What expressions are told of a request; the objects are `plain`, and in the version that was matched."""

    new: Document | None
    old: Document | None
    request: Document
    attributes: Attributes
    params: Document | None = None
    namespace: Document | None = None
    authority: SubjectAuthorizer | None = None
    """Without one, expressions that name it fail."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """A value, or why there is none."""

    value: Value = None
    error: str = ""


class Evaluation:
    """Evaluates expressions for one request; what one of them has found out of a variable, the next ones know."""

    def __init__(self, inputs: Inputs, variables: Mapping[str, Expression], budget: Budget) -> None:
        self._budget = budget
        self._names: dict[str, Value] = {
            "object": inputs.new,
            "oldObject": inputs.old,
            "params": inputs.params,
            "request": inputs.request,
            "namespaceObject": inputs.namespace,
        }
        if inputs.authority is not None:
            self._names |= _authorizers(inputs.attributes, inputs.authority)
        if variables:
            self._names["variables"] = _Variables(variables, self._names, budget)

    def evaluate(self, expression: Expression) -> Outcome:
        """What the expression comes to. Raises BudgetExhausted."""
        if expression.program is None:
            return Outcome(error=f"compilation error: {expression.error}")
        try:
            return Outcome(expression.program.evaluate(self._names, self._budget))
        except EvaluationError as error:
            return Outcome(error=f"expression '{expression.text}' resulted in error: {error}")


def _authorizers(attributes: Attributes, authority: SubjectAuthorizer) -> dict[str, Value]:
    resource = attributes.resource
    check = ResourceCheck(
        authority, resource.group, resource.plural, attributes.subresource, namespace_of(attributes), attributes.name
    )
    return {"authorizer": Authorizer(authority), "authorizer.requestResource": check}


class _Variables(MapValue):
    """``variables``: each is evaluated when it is first asked for."""

    __slots__ = ("_budget", "_expressions", "_found", "_names")

    def __init__(self, expressions: Mapping[str, Expression], names: Mapping[str, Value], budget: Budget) -> None:
        self._expressions = expressions
        self._names = names
        self._budget = budget
        self._found: dict[str, Value] = {}

    def find(self, key: Value) -> Value:
        """See MapValue."""
        name = unescaped(key) if isinstance(key, str) else None
        if name is None or name not in self._expressions:
            return MISSING
        if name not in self._found:
            self._found[name] = self._evaluated(name)
        value = self._found[name]
        if isinstance(value, EvaluationError):
            raise value
        return value

    def _evaluated(self, name: str) -> Any:
        expression = self._expressions[name]
        if expression.program is None:
            return EvaluationError(f"composited variable {quoted(name)} fails to compile: {expression.error}")
        try:
            return expression.program.evaluate(self._names, self._budget)
        except EvaluationError as error:
            return EvaluationError(f"composited variable {quoted(name)} fails to evaluate: {error}")

    @property
    def document(self) -> object:
        """See Held."""
        raise EvaluationError("no such overload")

    def equals(self, other: Value) -> bool:
        """See MapValue."""
        return other is self

    def __iter__(self) -> Iterator[str]:
        return iter(self._expressions)

    def __len__(self) -> int:
        return len(self._expressions)
