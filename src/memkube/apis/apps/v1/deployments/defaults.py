"""What a Deployment gets where the client says nothing (``pkg/apis/apps/v1/defaults.go``)."""

from memkube.apis.apps.v1.deployments.types import Deployment, DeploymentStrategy, RollingUpdateDeployment
from memkube.apis.core.v1.podspec.defaults import default_pod_template

ROLLING_SHARE = "25%"
REVISIONS_KEPT = 10
PROGRESS_SECONDS = 600


def default_deployment(deployment: Deployment) -> None:
    """Fills a Deployment in place."""
    spec = deployment.spec
    default_pod_template(spec.template)
    if spec.replicas is None:
        spec.replicas = 1
    _default_strategy(spec.strategy)
    if spec.revisionHistoryLimit is None:
        spec.revisionHistoryLimit = REVISIONS_KEPT
    if spec.progressDeadlineSeconds is None:
        spec.progressDeadlineSeconds = PROGRESS_SECONDS


def _default_strategy(strategy: DeploymentStrategy) -> None:
    strategy.type = strategy.type or "RollingUpdate"
    if strategy.type != "RollingUpdate":
        return
    rolling = strategy.rollingUpdate = strategy.rollingUpdate or RollingUpdateDeployment()
    if rolling.maxUnavailable is None:
        rolling.maxUnavailable = ROLLING_SHARE
    if rolling.maxSurge is None:
        rolling.maxSurge = ROLLING_SHARE
