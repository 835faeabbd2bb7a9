"""Fields of features that Kubernetes 1.36 leaves off by default: a server drops them without a word.

``ClusterTrustBundleProjection``, ``PodCertificateRequest``, ``GenericWorkload``, ``ContainerStopSignals``,
``DRANodeAllocatableResources`` and ``ImageVolumeWithDigest``.
"""

from memkube.apis.core.v1.pods.types.status import PodStatus
from memkube.apis.core.v1.podspec.types.pod_spec import PodSpec
from memkube.apis.core.v1.podspec.types.probes import Lifecycle


def drop_disabled_fields(spec: PodSpec) -> None:
    """Clears what no feature that is on reads."""
    for volume in spec.volumes:
        for source in volume.projected.sources if volume.projected else []:
            source.clusterTrustBundle = source.podCertificate = None
    if spec.schedulingGroup is not None:
        spec.schedulingGroup = None
    for containers in (spec.containers, spec.initContainers, spec.ephemeralContainers):
        for container in containers:
            if container.lifecycle is not None and container.lifecycle.stopSignal is not None:
                container.lifecycle.stopSignal = None
                if container.lifecycle == Lifecycle():
                    container.lifecycle = None


def drop_disabled_status_fields(status: PodStatus) -> None:
    """Clears what no feature that is on reads."""
    status.nodeAllocatableResourceClaimStatuses = []
    for statuses in (status.containerStatuses, status.initContainerStatuses, status.ephemeralContainerStatuses):
        for container in statuses:
            for mount in container.volumeMounts:
                mount.volumeStatus = None
