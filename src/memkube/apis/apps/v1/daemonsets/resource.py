from memkube.registry.declarations.lazy import LazyPackage
from memkube.registry.declarations.resource import ListForm, Resource, status_subresource

lazy = LazyPackage(__package__)

RESOURCE = Resource(
    group="apps",
    version="v1",
    kind="DaemonSet",
    plural="daemonsets",
    short_names=("ds",),
    categories=("all",),
    model=lazy("types:DaemonSet"),
    strategy=lazy("strategy:DaemonSetStrategy()"),
    printer=lazy("columns:PRINTER"),
    internal_annotations=frozenset({"deprecated.daemonset.template.generation"}),
    lists=ListForm(bookmark_annotations={"deprecated.daemonset.template.generation": "0"}),
    subresources=(status_subresource(lazy("strategy:DaemonSetStatusStrategy()")),),
)
