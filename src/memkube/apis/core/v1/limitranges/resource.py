"""LimitRanges: bounds and defaults for what the objects of a namespace ask for."""

from memkube.registry.lazy import Lazy
from memkube.registry.resource import Resource

RESOURCE = Resource(
    group="",
    version="v1",
    kind="LimitRange",
    plural="limitranges",
    singular="limitrange",
    short_names=("limits",),
    model=Lazy("memkube.apis.core.v1.limitranges.types:LimitRange"),
    strategy=Lazy("memkube.apis.core.v1.limitranges.strategy:LimitRangeStrategy()"),
    printer=Lazy("memkube.apis.core.v1.limitranges.columns:PRINTER"),
)
