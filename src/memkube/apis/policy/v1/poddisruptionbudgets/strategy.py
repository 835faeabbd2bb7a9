"""What PodDisruptionBudgets add to the generic verbs."""

from typing import ClassVar

from memkube.apimachinery.field_errors import FieldError
from memkube.apimachinery.time import Time
from memkube.apis.policy.v1.poddisruptionbudgets.types import PodDisruptionBudget, PodDisruptionBudgetStatus
from memkube.apis.policy.v1.poddisruptionbudgets.validation import (
    validate_pod_disruption_budget,
    validate_pod_disruption_budget_status_update,
    validate_pod_disruption_budget_update,
)
from memkube.registry.strategy import FieldPaths, Strategy


class PodDisruptionBudgetStrategy(Strategy[PodDisruptionBudget]):
    """Source: ``pkg/registry/policy/poddisruptionbudget/strategy.go``."""

    allow_unconditional_update: ClassVar[bool] = False
    reset_fields: ClassVar[FieldPaths] = (("status",),)

    def prepare_for_create(self, obj: PodDisruptionBudget, now: Time) -> list[str]:
        """A new budget has no status yet."""
        obj.status = PodDisruptionBudgetStatus()
        obj.metadata.generation = 1
        return []

    def validate(self, obj: PodDisruptionBudget) -> list[FieldError]:
        """See Strategy."""
        return validate_pod_disruption_budget(obj)

    def prepare_for_update(self, new: PodDisruptionBudget, old: PodDisruptionBudget) -> None:
        """The status stays; a changed spec is a new generation."""
        new.status = old.status
        if new.spec != old.spec:
            new.metadata.generation = old.metadata.generation + 1

    def validate_update(self, new: PodDisruptionBudget, old: PodDisruptionBudget) -> list[FieldError]:
        """See Strategy."""
        return validate_pod_disruption_budget_update(new, old)


class PodDisruptionBudgetStatusStrategy(PodDisruptionBudgetStrategy):
    """Writes to ``status``."""

    reset_fields: ClassVar[FieldPaths] = (("spec",),)

    def prepare_for_update(self, new: PodDisruptionBudget, old: PodDisruptionBudget) -> None:
        """The spec stays."""
        new.spec = old.spec

    def validate_update(self, new: PodDisruptionBudget, old: PodDisruptionBudget) -> list[FieldError]:
        """See Strategy."""
        return validate_pod_disruption_budget_status_update(new, old)
