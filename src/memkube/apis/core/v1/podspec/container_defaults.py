"""What a container gets where the client says nothing (``pkg/apis/core/v1/defaults.go``)."""

from collections.abc import Iterable

from memkube.apimachinery.quantity import Quantity
from memkube.apis.core.v1.podspec.image_names import pulls_latest
from memkube.apis.core.v1.podspec.types.containers import Container
from memkube.apis.core.v1.podspec.types.env import EnvVar, EnvVarSource
from memkube.apis.core.v1.podspec.types.ephemeral_containers import EphemeralContainerCommon
from memkube.apis.core.v1.podspec.types.probes import HTTPGetAction, Lifecycle, Probe
from memkube.apis.core.v1.podspec.types.resources import ResourceRequirements


def default_container(container: Container | EphemeralContainerCommon) -> None:
    """Fills a container of any kind."""
    if not container.imagePullPolicy:
        container.imagePullPolicy = default_pull_policy(container.image)
    container.terminationMessagePath = container.terminationMessagePath or "/dev/termination-log"
    container.terminationMessagePolicy = container.terminationMessagePolicy or "File"
    for port in container.ports:
        port.protocol = port.protocol or "TCP"
    default_env(container.env)
    default_requirements(container.resources)
    for probe in (container.livenessProbe, container.readinessProbe, container.startupProbe):
        if probe is not None:
            _default_probe(probe)
    if container.lifecycle is not None:
        _default_lifecycle(container.lifecycle)


def default_env(variables: Iterable[EnvVar]) -> None:
    """Fills the sources of variables."""
    for variable in variables:
        if variable.valueFrom is not None:
            _default_source(variable.valueFrom)


def default_pull_policy(image: str) -> str:
    """Newest images are always pulled, others where they are missing."""
    return "Always" if pulls_latest(image) else "IfNotPresent"


def default_requirements(requirements: ResourceRequirements) -> None:
    """Rounds requests and limits up to thousandths."""
    default_resource_list(requirements.limits)
    default_resource_list(requirements.requests)


def default_resource_list(resources: dict[str, Quantity]) -> None:
    """Rounds quantities up to thousandths."""
    for name, quantity in resources.items():
        resources[name] = quantity.rounded_up_to_milli()


def _default_source(source: EnvVarSource) -> None:
    if source.fieldRef is not None:
        source.fieldRef.apiVersion = source.fieldRef.apiVersion or "v1"
    if source.fileKeyRef is not None and source.fileKeyRef.optional is None:
        source.fileKeyRef.optional = False


def _default_probe(probe: Probe) -> None:
    probe.timeoutSeconds = probe.timeoutSeconds or 1
    probe.periodSeconds = probe.periodSeconds or 10
    probe.successThreshold = probe.successThreshold or 1
    probe.failureThreshold = probe.failureThreshold or 3
    if probe.httpGet is not None:
        _default_http_get(probe.httpGet)
    if probe.grpc is not None and probe.grpc.service is None:
        probe.grpc.service = ""


def _default_lifecycle(lifecycle: Lifecycle) -> None:
    for handler in (lifecycle.postStart, lifecycle.preStop):
        if handler is not None and handler.httpGet is not None:
            _default_http_get(handler.httpGet)


def _default_http_get(action: HTTPGetAction) -> None:
    action.path = action.path or "/"
    action.scheme = action.scheme or "HTTP"
