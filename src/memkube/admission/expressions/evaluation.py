"""Evaluation of the expressions in a webhook or policy for one request (apiserver ``admission/plugin/cel``)."""

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
"""Error message if the expressions of a policy together exceed the maximum total cost."""
POLICY_COST_LIMIT: Final = 10_000_000
"""Maximum total cost of evaluating all expressions of one policy for a request."""
MATCH_CONDITIONS_COST_LIMIT: Final = 2_500_000


@dataclass(frozen=True, slots=True)
class Expression:
    """A compiled CEL expression. If it does not compile, `program` is None and `error` is the compile error."""

    text: str
    program: Program | None = None
    error: str = ""

    @classmethod
    def compiled(
        cls, known: Expressions, text: str, results: tuple[Type, ...], **program_options: bool
    ) -> "Expression":
        """Compile an expression, whose value must have one of the types in `results`.

        If it does not compile, the returned Expression has the error. `known` is the compiler. Keyword arguments are
        those of `Expressions.program`: they determine whether the expression can use the variable ``authorizer`` and
        construct JSON patch operations.
        """
        program = known.program(text, results, **program_options)
        if isinstance(program, CompileError):
            return cls(text, error=program.detail)
        return cls(text, program)


def compiled_variables(known: Expressions, variables: Mapping[str, str]) -> dict[str, Expression]:
    """Compile the ``spec.variables`` of a policy in order. Return the compiled expressions by variable name.

    Each variable is declared in the compiler `known`, so that expressions compiled after it can use it.
    """
    made = {}
    for name, text in variables.items():
        program = known.variable(name, text)
        error = program.detail if isinstance(program, CompileError) else ""
        made[name] = Expression(text, None if isinstance(program, CompileError) else program, error)
    return made


def has_loops(*texts: str) -> bool:
    """True if a CEL expression in `texts` contains a loop, such as the macro ``all``, and so may run for long."""
    return any(_loop(text) for text in texts)


async def run_evaluation(evaluate: Callable[[], T], *, loops: bool) -> T:
    """Call the function `evaluate`, which evaluates CEL expressions, and return its result.

    If the expressions contain loops (`loops`), the function runs in a thread, so that it does not block asyncio's event
    loop.
    """
    return await asyncio.to_thread(evaluate) if loops else evaluate()


def plain_json(document: D) -> D:
    """Return a copy of a JSON document in which all values have exactly the Python types that JSON parsing yields.

    This is necessary because documents may contain instances of subclasses, for example of str, and the CEL evaluation
    recognizes types by their exact classes.
    """
    copied: D = orjson.loads(orjson.dumps(document))
    return copied


@dataclass(frozen=True, slots=True)
class Inputs:
    """Values of the CEL variables for one request.

    Objects are JSON documents, copied by `plain_json`, in the API version that a rule matched.
    """

    new: Document | None
    old: Document | None
    request: Document
    attributes: Attributes
    params: Document | None = None
    namespace: Document | None = None
    authority: SubjectAuthorizer | None = None
    """Value of the CEL variable ``authorizer``; None if expressions cannot use the variable."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """Value of an evaluated expression, or the error if the evaluation failed."""

    value: Value = None
    error: str = ""


class Evaluation:
    """Evaluates the CEL expressions of one webhook or policy for one request.

    Each entry of the CEL variable ``variables`` is computed at most once.
    """

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
        """Evaluate an expression, and return its value or error.

        Raises BudgetExhausted if the evaluation costs more than the remaining budget.
        """
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
    """The CEL variable ``variables``, whose entries are evaluated on first use."""

    __slots__ = ("_budget", "_expressions", "_found", "_names")

    def __init__(self, expressions: Mapping[str, Expression], names: Mapping[str, Value], budget: Budget) -> None:
        self._expressions = expressions
        self._names = names
        self._budget = budget
        self._found: dict[str, Value] = {}

    def find(self, key: Value) -> Value:
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
        raise EvaluationError("no such overload")

    def equals(self, other: Value) -> bool:
        return other is self

    def __iter__(self) -> Iterator[str]:
        return iter(self._expressions)

    def __len__(self) -> int:
        return len(self._expressions)
