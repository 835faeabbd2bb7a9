"""Who decides what a container does: a rule, else an annotation of its pod, else its command."""

from typing import Final

from pydantic import ValidationError

from memkube.apis.core.v1.pods.types import Pod
from memkube.controllers.kubelet.behavior import ContainerBehavior
from memkube.controllers.kubelet.rules import ContainerRules
from memkube.controllers.kubelet.setting import AnyContainer
from memkube.controllers.kubelet.surroundings import NotConfigured

ANNOTATION: Final = "memkube.dev/behavior"
"""A ContainerBehavior as JSON for all containers; for one of them with its name and a dot in front."""


def container_behavior(rules: ContainerRules, pod: Pod, container: AnyContainer) -> ContainerBehavior:
    """What a container of a pod is to do. Raises NotConfigured for an annotation that makes no sense."""
    metadata = pod.metadata
    ruled = rules.behavior(metadata.namespace, metadata.labels, container.name, container.image)
    if ruled is not None:
        return ruled
    for key in (f"{container.name}.{ANNOTATION}", ANNOTATION):
        if key in metadata.annotations:
            try:
                return ContainerBehavior.model_validate_json(metadata.annotations[key])
            except ValidationError as error:
                first = error.errors()[0]
                where = ".".join(str(part) for part in first["loc"])
                raise NotConfigured(f"annotation {key}: {where}: {first['msg']}") from None
    return ContainerBehavior()
