"""PodDisruptionBudgets: limits on voluntary disruptions of pods."""

from memkube.registry.declarations.lazy import Lazy
from memkube.registry.declarations.resource import Resource, status_subresource

RESOURCE = Resource(
    group="policy",
    version="v1",
    kind="PodDisruptionBudget",
    plural="poddisruptionbudgets",
    singular="poddisruptionbudget",
    short_names=("pdb",),
    model=Lazy("memkube.apis.policy.v1.poddisruptionbudgets.types:PodDisruptionBudget"),
    strategy=Lazy("memkube.apis.policy.v1.poddisruptionbudgets.strategy:PodDisruptionBudgetStrategy()"),
    printer=Lazy("memkube.apis.policy.v1.poddisruptionbudgets.columns:PRINTER"),
    subresources=(
        status_subresource(
            Lazy("memkube.apis.policy.v1.poddisruptionbudgets.strategy:PodDisruptionBudgetStatusStrategy()")
        ),
    ),
)
