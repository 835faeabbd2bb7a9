"""PriorityClasses: named priorities for pods."""

from memkube.registry.declarations.lazy import Lazy
from memkube.registry.declarations.resource import Resource, name_field

RESOURCE = Resource(
    group="scheduling.k8s.io",
    version="v1",
    kind="PriorityClass",
    plural="priorityclasses",
    singular="priorityclass",
    namespaced=False,
    selectable_fields=name_field,
    short_names=("pc",),
    model=Lazy("memkube.apis.scheduling.v1.priorityclasses.types:PriorityClass"),
    strategy=Lazy("memkube.apis.scheduling.v1.priorityclasses.strategy:PriorityClassStrategy()"),
    printer=Lazy("memkube.apis.scheduling.v1.priorityclasses.columns:PRINTER"),
)
