from memkube.apis.autoscaling.v1.scales.subresource import scale_subresource
from memkube.registry.declarations.lazy import LazyPackage
from memkube.registry.declarations.resource import ListForm, Resource, status_subresource

lazy = LazyPackage(__package__)

RESOURCE = Resource(
    group="apps",
    version="v1",
    kind="Deployment",
    plural="deployments",
    short_names=("deploy",),
    categories=("all",),
    model=lazy("types:Deployment"),
    strategy=lazy("strategy:DeploymentStrategy()"),
    internal_annotations=frozenset({"deprecated.deployment.rollback.to"}),
    printer=lazy("columns:PRINTER"),
    lists=ListForm(bookmark_spec={"replicas": 0}),
    subresources=(
        scale_subresource("apps/v1"),
        status_subresource(lazy("strategy:DeploymentStatusStrategy()")),
    ),
)
