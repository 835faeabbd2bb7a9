"""DaemonSets: run one pod on each matching node."""

from memkube.registry.declarations.lazy import Lazy
from memkube.registry.declarations.resource import Resource, status_subresource

RESOURCE = Resource(
    group="apps",
    version="v1",
    kind="DaemonSet",
    plural="daemonsets",
    singular="daemonset",
    short_names=("ds",),
    categories=("all",),
    model=Lazy("memkube.apis.apps.v1.daemonsets.types:DaemonSet"),
    strategy=Lazy("memkube.apis.apps.v1.daemonsets.strategy:DaemonSetStrategy()"),
    printer=Lazy("memkube.apis.apps.v1.daemonsets.columns:PRINTER"),
    annotations_of_fields=frozenset({"deprecated.daemonset.template.generation"}),
    subresources=(status_subresource(Lazy("memkube.apis.apps.v1.daemonsets.strategy:DaemonSetStatusStrategy()")),),
)
