"""Scales, which are served as subresources only."""

from memkube.registry.lazy import Lazy
from memkube.registry.resource import Resource

RESOURCE = Resource(
    group="autoscaling",
    version="v1",
    kind="Scale",
    plural="scales",
    singular="scale",
    model=Lazy("memkube.apis.autoscaling.v1.scales.types:Scale"),
    strategy=Lazy("memkube.apis.autoscaling.v1.scales.strategy:ScaleStrategy()"),
    printer=Lazy("memkube.apis.autoscaling.v1.scales.columns:PRINTER"),
    verbs=(),
)
