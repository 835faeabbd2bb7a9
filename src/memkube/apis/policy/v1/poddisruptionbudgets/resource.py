"""PodDisruptionBudgets: how many pods of a selection must stay."""

from memkube.apis.policy.v1.poddisruptionbudgets.columns import PRINTER
from memkube.apis.policy.v1.poddisruptionbudgets.strategy import (
    PodDisruptionBudgetStatusStrategy,
    PodDisruptionBudgetStrategy,
)
from memkube.apis.policy.v1.poddisruptionbudgets.types import PodDisruptionBudget
from memkube.registry.resource import Resource, status_subresource

RESOURCE = Resource(
    group="policy",
    version="v1",
    kind="PodDisruptionBudget",
    plural="poddisruptionbudgets",
    singular="poddisruptionbudget",
    short_names=("pdb",),
    model=PodDisruptionBudget,
    strategy=PodDisruptionBudgetStrategy(),
    printer=PRINTER,
    subresources=(status_subresource(PodDisruptionBudget, "PodDisruptionBudget", PodDisruptionBudgetStatusStrategy()),),
)
