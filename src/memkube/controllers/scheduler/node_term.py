"""Matches nodes with the terms of node selectors (component-helpers' ``scheduling/corev1/nodeaffinity``)."""

from collections.abc import Mapping, Sequence
from typing import Final

from memkube.apimachinery.field_errors import FieldError
from memkube.apimachinery.labels import LabelSelector, Requirement
from memkube.apimachinery.labels.selector import Operator, requirement_errors
from memkube.apimachinery.model import Document
from memkube.controllers.scheduler.pod_selector import Labels

_OPERATORS: Final[Mapping[str, Operator]] = {
    "In": "in",
    "NotIn": "notin",
    "Exists": "exists",
    "DoesNotExist": "!",
    "Gt": "gt",
    "Lt": "lt",
}
NODE_NAME: Final = "metadata.name"
"""The field of nodes that ``matchFields`` of a node selector term can select."""


class NodeTerm:
    """A node selector term. All of its requirements must match a node. An invalid term matches no node."""

    def __init__(self, document: Document) -> None:
        self._labels = self._name = LabelSelector.nothing()
        self.errors: list[FieldError] = []
        """Errors in the label requirements of an invalid term. Their paths begin at the term."""
        expressions, fields = document.get("matchExpressions") or (), document.get("matchFields") or ()
        if not expressions and not fields:
            return
        try:
            self._labels = LabelSelector([_requirement(expression) for expression in expressions])
            self._name = LabelSelector([_name_requirement(field) for field in fields])
        except ValueError:
            self._labels = LabelSelector.nothing()
            self.errors = _errors(expressions)

    def matches(self, name: str, labels: Labels) -> bool:
        """True if this node selector term matches a node whose name is `name` and whose labels are `labels`."""
        return self._labels.matches(labels) and self._name.matches({NODE_NAME: name})


def _errors(expressions: Sequence[Document]) -> list[FieldError]:
    errors = []
    for index, expression in enumerate(expressions):
        operator = _OPERATORS.get(expression["operator"], "in")
        found = requirement_errors(expression["key"], operator, expression.get("values") or ())
        errors += [error._replace(field=f"matchExpressions[{index}].{error.field}") for error in found]
    return errors


def _requirement(expression: Document) -> Requirement:
    operator = _OPERATORS.get(expression["operator"])
    if operator is None:
        raise ValueError(expression["operator"])
    return Requirement.checked(expression["key"], operator, expression.get("values") or ())


def _name_requirement(field: Document) -> Requirement:
    values = field.get("values") or ()
    if field["operator"] not in ("In", "NotIn") or len(values) != 1:
        raise ValueError(field["operator"])
    return Requirement(field["key"], _OPERATORS[field["operator"]], tuple(values))
