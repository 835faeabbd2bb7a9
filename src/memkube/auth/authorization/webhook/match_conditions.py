"""The match conditions of a webhook that authorizes requests (apiserver ``authorization/cel``)."""

from collections.abc import Sequence
from functools import cache
from typing import Final

from memkube.apimachinery.model import Document
from memkube.cel.declarations import Fields
from memkube.cel.environment import CompileError, Environment, base_environment, compile_to
from memkube.cel.errors import BudgetExhausted, CostLimitExceeded, EvaluationError
from memkube.cel.program import PER_CALL_LIMIT, Budget, Program
from memkube.cel.types import BOOL, STRING, list_of, map_of

_REQUIREMENT: Final = Fields(
    "kubernetes.SelectorRequirement", {"key": STRING, "operator": STRING, "values": list_of(STRING)}
)
_SELECTOR: Final = {"rawSelector": STRING, "requirements": list_of(_REQUIREMENT.type)}
_FIELD_SELECTOR: Final = Fields("kubernetes.FieldSelectorAttributes", _SELECTOR)
_LABEL_SELECTOR: Final = Fields("kubernetes.LabelSelectorAttributes", _SELECTOR)
_OF_RESOURCE: Final = ("namespace", "verb", "group", "version", "resource", "subresource", "name")
_RESOURCE: Final = Fields(
    "kubernetes.ResourceAttributes",
    {
        **dict.fromkeys(_OF_RESOURCE, STRING),
        "fieldSelector": _FIELD_SELECTOR.type,
        "labelSelector": _LABEL_SELECTOR.type,
    },
)
_PATH: Final = Fields("kubernetes.NonResourceAttributes", {"path": STRING, "verb": STRING})
_REQUEST: Final = Fields(
    "kubernetes.SubjectAccessReviewSpec",
    {
        "resourceAttributes": _RESOURCE.type,
        "nonResourceAttributes": _PATH.type,
        "user": STRING,
        "groups": list_of(STRING),
        "extra": map_of(STRING, list_of(STRING)),
        "uid": STRING,
    },
)


class ConditionFailed(Exception):
    """Raised if the evaluation of a condition failed, and no other condition is false.

    The message is the same as kube-apiserver's.
    """


@cache
def _environment() -> Environment:
    objects = (_REQUEST, _RESOURCE, _PATH, _FIELD_SELECTOR, _LABEL_SELECTOR, _REQUIREMENT)
    return base_environment().extended({"request": _REQUEST.type}, objects)


def compiled_condition(expression: str) -> Program | CompileError:
    """Compile a condition, an expression over the variable ``request`` that returns a boolean."""
    compiled = compile_to(_environment(), expression, BOOL)
    return compiled if isinstance(compiled, CompileError) else Program(compiled)


class MatchConditions:
    """Conditions that a request must meet for the webhook to be asked. Without conditions, it is always asked."""

    def __init__(self, expressions: Sequence[str]) -> None:
        """Compile the conditions.

        Raises ValueError with a one-line message if an expression does not compile.
        """
        self._programs: list[tuple[str, Program]] = []
        for expression in expressions:
            compiled = compiled_condition(expression)
            if isinstance(compiled, CompileError):
                raise ValueError(f"match condition {expression}: {' '.join(compiled.detail.split())}")
            self._programs.append((expression, compiled))

    def match(self, spec: Document) -> bool:
        """True if a request, described by the spec of a SubjectAccessReview, meets all conditions.

        Raises ConditionFailed if the evaluation of a condition failed, and no other condition is false.
        """
        if not self._programs:
            return True
        variables = {"request": _complete(spec)}
        errors: list[str] = []
        for expression, program in self._programs:
            try:
                if program.evaluate(variables, Budget(PER_CALL_LIMIT)) is not True:
                    return False
            except (EvaluationError, BudgetExhausted, CostLimitExceeded) as error:
                errors.append(f"cel evaluation error: expression '{expression}' resulted in error: {error}")
        if errors:
            raise ConditionFailed(errors[0] if len(errors) == 1 else f"[{', '.join(errors)}]")
        return True


def _complete(spec: Document) -> Document:
    """Return a SubjectAccessReview's spec with all strings and lists, including those that are empty.

    kube-apiserver passes the spec to expressions in this form.
    """
    complete = {"user": "", "groups": [], "uid": "", "extra": {}, **spec}
    resource, path = spec.get("resourceAttributes"), spec.get("nonResourceAttributes")
    if resource is not None:
        complete["resourceAttributes"] = {**dict.fromkeys(_OF_RESOURCE, ""), **resource}
    if path is not None:
        complete["nonResourceAttributes"] = {"path": "", "verb": "", **path}
    return complete
