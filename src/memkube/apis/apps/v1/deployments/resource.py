"""Deployments, as they are served."""

from memkube.apis.apps.v1.deployments.columns import PRINTER
from memkube.apis.apps.v1.deployments.strategy import DeploymentStatusStrategy, DeploymentStrategy
from memkube.apis.apps.v1.deployments.types import Deployment
from memkube.apis.autoscaling.v1.scales.subresource import scale_subresource
from memkube.registry.resource import Resource, status_subresource

RESOURCE = Resource(
    group="apps",
    version="v1",
    kind="Deployment",
    plural="deployments",
    singular="deployment",
    short_names=("deploy",),
    categories=("all",),
    model=Deployment,
    strategy=DeploymentStrategy(),
    printer=PRINTER,
    subresources=(
        scale_subresource("apps/v1"),
        status_subresource(Deployment, "Deployment", DeploymentStatusStrategy()),
    ),
)
