from memkube.registry.declarations.lazy import LazyPackage
from memkube.registry.declarations.resource import Resource
from memkube.registry.declarations.table import NAME_AND_CREATION

lazy = LazyPackage(__package__)

RESOURCE = Resource(
    group="",
    version="v1",
    kind="LimitRange",
    plural="limitranges",
    short_names=("limits",),
    model=lazy("types:LimitRange"),
    strategy=lazy("strategy:LimitRangeStrategy()"),
    printer=NAME_AND_CREATION,
)
