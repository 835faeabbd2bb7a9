"""LimitRanges: limits and defaults for resource requests in a namespace."""

from memkube.registry.declarations.lazy import Lazy
from memkube.registry.declarations.resource import Resource
from memkube.registry.declarations.table import NAME_AND_CREATION

RESOURCE = Resource(
    group="",
    version="v1",
    kind="LimitRange",
    plural="limitranges",
    singular="limitrange",
    short_names=("limits",),
    model=Lazy("memkube.apis.core.v1.limitranges.types:LimitRange"),
    strategy=Lazy("memkube.apis.core.v1.limitranges.strategy:LimitRangeStrategy()"),
    printer=NAME_AND_CREATION,
)
