"""Names of the ConfigMaps that a pod refers to (``pkg/api/v1/pod``: VisitPodConfigmapNames)."""

from collections.abc import Iterator

from memkube.apis.core.v1.podspec.types.pod_spec import PodSpec
from memkube.apis.core.v1.podspec.validation.context import AnyContainer


def config_map_names(spec: PodSpec) -> Iterator[str]:
    """Yield the name in each reference of the pod to a ConfigMap; names can repeat."""
    containers: list[AnyContainer] = [*spec.initContainers, *spec.containers, *spec.ephemeralContainers]
    for container in containers:
        for source in container.envFrom:
            if source.configMapRef:
                yield source.configMapRef.name
        for variable in container.env:
            if variable.valueFrom and variable.valueFrom.configMapKeyRef:
                yield variable.valueFrom.configMapKeyRef.name
    for volume in spec.volumes:
        if volume.projected:
            yield from (source.configMap.name for source in volume.projected.sources if source.configMap)
        elif volume.configMap:
            yield volume.configMap.name
