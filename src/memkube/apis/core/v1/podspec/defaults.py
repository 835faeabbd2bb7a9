"""What every pod spec gets where the client says nothing, in a pod as in a template."""

from memkube.apis.core.v1.podspec.container_defaults import (
    default_container,
    default_requirements,
    default_resource_list,
)
from memkube.apis.core.v1.podspec.types.pod_spec import PodSpec
from memkube.apis.core.v1.podspec.types.security import PodSecurityContext
from memkube.apis.core.v1.podspec.volume_defaults import default_volume

GRACE_PERIOD_SECONDS = 30


def default_pod_spec(spec: PodSpec) -> None:
    """Fills a spec in place, and makes the two names of its service account agree."""
    spec.dnsPolicy = spec.dnsPolicy or "ClusterFirst"
    spec.restartPolicy = spec.restartPolicy or "Always"
    spec.schedulerName = spec.schedulerName or "default-scheduler"
    if spec.securityContext is None:
        spec.securityContext = PodSecurityContext()
    if spec.terminationGracePeriodSeconds is None:
        spec.terminationGracePeriodSeconds = GRACE_PERIOD_SECONDS
    for volume in spec.volumes:
        default_volume(volume)
    for containers in (spec.initContainers, spec.containers, spec.ephemeralContainers):
        for container in containers:
            default_container(container)
    default_resource_list(spec.overhead)
    if spec.resources is not None:
        default_requirements(spec.resources)
    spec.serviceAccountName = spec.serviceAccount = spec.serviceAccountName or spec.serviceAccount
