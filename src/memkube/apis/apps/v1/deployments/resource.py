"""Declaration of Deployments."""

from memkube.apis.autoscaling.v1.scales.subresource import scale_subresource
from memkube.registry.declarations.lazy import Lazy
from memkube.registry.declarations.resource import Resource, status_subresource

RESOURCE = Resource(
    group="apps",
    version="v1",
    kind="Deployment",
    plural="deployments",
    singular="deployment",
    short_names=("deploy",),
    categories=("all",),
    model=Lazy("memkube.apis.apps.v1.deployments.types:Deployment"),
    strategy=Lazy("memkube.apis.apps.v1.deployments.strategy:DeploymentStrategy()"),
    printer=Lazy("memkube.apis.apps.v1.deployments.columns:PRINTER"),
    subresources=(
        scale_subresource("apps/v1"),
        status_subresource(Lazy("memkube.apis.apps.v1.deployments.strategy:DeploymentStatusStrategy()")),
    ),
)
