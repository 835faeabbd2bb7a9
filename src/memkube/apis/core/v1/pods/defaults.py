"""Defaults that are set in pods, but not in pod templates.

Sources: ``pkg/apis/core/v1/defaults.go``, and ``conversion.go`` for defaults that kube-apiserver sets while it converts
to its internal version.
"""

from collections.abc import Iterable

from memkube.apis.core.v1.pods.types import Pod, PodIP, PodStatus
from memkube.apis.core.v1.podspec.aggregate_resources import (
    aggregate_limits,
    aggregate_requests,
    is_pod_level_resource,
)
from memkube.apis.core.v1.podspec.defaults import (
    default_pod_spec,
    default_requirements,
    default_resource_list,
    without_init_containers,
)
from memkube.apis.core.v1.podspec.types.containers import Container, ResourceRequirements
from memkube.apis.core.v1.podspec.types.pod_spec import PodSpec
from memkube.registry.objects.interned_specs import interned_spec_of


def default_pod(pod: Pod) -> None:
    """Set the defaults of a pod in place, and replace deprecated field names and annotations by current ones."""
    if interned_spec_of(pod.spec) is None:
        default_spec_of_pod(pod.spec)
    _default_status(pod.status)
    pod.metadata.annotations = without_init_containers(pod.metadata.annotations)
    _replace_old_spellings(pod.status)


def default_spec_of_pod(spec: PodSpec) -> None:
    """Set the defaults of a pod's spec in place, except the defaults that pod templates have too."""
    for container in spec.containers:
        _default_requests(container)
    for container in spec.initContainers:
        _default_requests(container)
    if spec.resources is not None:
        _default_pod_level(spec, spec.resources)
    if spec.enableServiceLinks is None:
        spec.enableServiceLinks = True
    if spec.hostNetwork:
        _default_host_ports(spec.containers)
        _default_host_ports(spec.initContainers)
    default_pod_spec(spec)
    if spec.terminationGracePeriodSeconds is not None and spec.terminationGracePeriodSeconds < 0:
        spec.terminationGracePeriodSeconds = 1


def _default_requests(container: Container) -> None:
    """Set each missing resource request of a container to the container's limit of the same resource."""
    limits, requests = container.resources.limits, container.resources.requests
    for name, quantity in limits.items():
        requests.setdefault(name, quantity)


def _default_pod_level(spec: PodSpec, resources: ResourceRequirements) -> None:
    if resources.limits or resources.requests:
        for name, quantity in aggregate_limits(spec).items():
            if name.startswith("hugepages-") and name not in resources.requests:
                resources.limits.setdefault(name, quantity)
    if not resources.limits:
        return
    for name, quantity in aggregate_requests(spec).items():
        if name in ("cpu", "memory"):
            resources.requests.setdefault(name, quantity)
    for name, quantity in resources.limits.items():
        if is_pod_level_resource(name):
            resources.requests.setdefault(name, quantity)


def _default_host_ports(containers: Iterable[Container]) -> None:
    for container in containers:
        for port in container.ports:
            port.hostPort = port.hostPort or port.containerPort


def _default_status(status: PodStatus) -> None:
    for container in status.every_container:
        default_resource_list(container.allocatedResources)
        if container.resources is not None:
            default_requirements(container.resources)
    default_resource_list(status.allocatedResources)
    if status.resources is not None:
        default_requirements(status.resources)


def _replace_old_spellings(status: PodStatus) -> None:
    if status.podIP and (not status.podIPs or status.podIPs[0].ip != status.podIP):
        status.podIPs = [PodIP(ip=status.podIP)]
    status.podIP = status.podIPs[0].ip if status.podIPs else ""
