"""Checks of a scenario: conditions on the objects of the cluster at one time."""

from typing import Any

from pydantic import Field, model_validator

from memkube.apimachinery.strict_model import SelectorText, StrictModel
from memkube.cluster.expressions import ObjectExpression
from memkube.cluster.synchronous import Memkube
from memkube.cluster.waiting import Document, holds_of, summary
from memkube.errors import Refused

_KINDS_OF_CHECKS = ("condition", "count", "atLeast", "atMost", "expression")
_NOT_FOUND = 404


class Expectation(StrictModel):
    """A check of one object, or of the objects of a resource, which a scenario makes at one time."""

    resource: str = Field(description="Resource to check, by any name that kubectl accepts, such as deploy.")
    name: str = Field(
        default="",
        description="Name of the object to check; empty to check all objects that the label selector matches.",
    )
    namespace: str | None = Field(
        default=None,
        description="Namespace of the objects. Unset: 'default' for an object with a name, otherwise all namespaces.",
    )
    labels: SelectorText = Field(
        default="", description="Label selector of the objects to check; empty for all objects."
    )
    condition: str | None = Field(
        default=None,
        description="Condition of the object, as for kubectl wait --for, such as condition=Available or delete.",
    )
    count: int | None = Field(default=None, ge=0, description="Exact number of objects that must exist.")
    atLeast: int | None = Field(default=None, ge=0, description="Minimum number of objects that must exist.")  # noqa: N815
    atMost: int | None = Field(default=None, ge=0, description="Maximum number of objects that may exist.")  # noqa: N815
    expression: str | None = Field(
        default=None,
        description="CEL expression that must be true of 'object' or, if no name is given, of the list 'objects'.",
    )

    @model_validator(mode="after")
    def _is_consistent(self) -> "Expectation":
        given = [name for name in _KINDS_OF_CHECKS if getattr(self, name) is not None]
        if not given:
            raise ValueError(f"nothing is checked: add one of {', '.join(_KINDS_OF_CHECKS)}")
        if self.condition is not None:
            if not self.name:
                raise ValueError("a condition is about one object: add its name")
            holds_of(self.condition)
        if self.name and (self.labels or {"count", "atLeast", "atMost"} & {*given}):
            raise ValueError(
                "labels, count, atLeast and atMost are about several objects, and name is about one: remove the name"
            )
        if self.expression is not None:
            self._program()
        return self

    def failures(self, kube: Memkube) -> list[str]:
        """Return one line for each check that does not hold now in the cluster `kube`.

        Raises Refused for an unknown resource.
        """
        if self.name:
            return self._failures_of_one(kube)
        found = kube.objects(self.resource, self.namespace, self.labels)
        where = f" in {self.namespace}" if self.namespace else ""
        what = " with ".join(filter(None, (self.resource, self.labels))) + where
        number = len(found)
        wrong = [
            f"{what}: expected {wanted}, found {number}"
            for is_wrong, wanted in (
                (self.count is not None and number != self.count, self.count),
                (self.atLeast is not None and number < self.atLeast, f"at least {self.atLeast}"),
                (self.atMost is not None and number > self.atMost, f"at most {self.atMost}"),
            )
            if is_wrong
        ]
        return wrong + self._unmet(what, found)

    def _failures_of_one(self, kube: Memkube) -> list[str]:
        what = f"{self.resource} {self.name}"
        found: Document | None = None
        try:
            found = kube.object(self.resource, self.name, self.namespace or "default")
        except Refused as error:
            # The error for an unknown resource is a 404 too, but has no details, because it is about no object.
            if error.code != _NOT_FOUND or "details" not in error.status:
                raise
        wrong = []
        state = summary(found) if found else "there is no such object"
        if self.condition is not None and not holds_of(self.condition)(found):
            wrong.append(f"{what}: expected {self.condition}; {state}")
        if self.expression is None:
            return wrong
        return wrong + (self._unmet(what, found) if found else [f"{what}: {state}"])

    def _program(self) -> ObjectExpression:
        """Return the compiled CEL expression. Raises ValueError if it does not compile."""
        return ObjectExpression(self.expression or "", is_about_list=not self.name)

    def _unmet(self, what: str, value: Any) -> list[str]:
        """Return one line with the reason if the CEL expression is not true for `value`; an empty list if it is true.

        The line begins with `what`, the name of the object or of the list of objects.
        """
        if self.expression is None:
            return []
        complaint = self._program().complaint(value)
        return [f"{what}: {complaint}"] if complaint else []
