from memkube.registry.declarations.lazy import LazyPackage
from memkube.registry.declarations.resource import Resource, status_subresource

lazy = LazyPackage(__package__)

RESOURCE = Resource(
    group="policy",
    version="v1",
    kind="PodDisruptionBudget",
    plural="poddisruptionbudgets",
    short_names=("pdb",),
    model=lazy("types:PodDisruptionBudget"),
    strategy=lazy("strategy:PodDisruptionBudgetStrategy()"),
    printer=lazy("columns:PRINTER"),
    subresources=(status_subresource(lazy("strategy:PodDisruptionBudgetStatusStrategy()")),),
)
