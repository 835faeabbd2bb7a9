from memkube.registry.declarations.lazy import LazyPackage
from memkube.registry.declarations.resource import Resource, status_subresource

lazy = LazyPackage(__package__)

RESOURCE = Resource(
    group="flowcontrol.apiserver.k8s.io",
    version="v1",
    kind="PriorityLevelConfiguration",
    plural="prioritylevelconfigurations",
    namespaced=False,
    model=lazy("types:PriorityLevelConfiguration"),
    strategy=lazy("strategy:PriorityLevelConfigurationStrategy()"),
    printer=lazy("columns:PRINTER"),
    subresources=(status_subresource(lazy("strategy:PriorityLevelConfigurationStatusStrategy()")),),
)
