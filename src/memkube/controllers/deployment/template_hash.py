"""Names of ReplicaSets by the template that they are for."""

from typing import Final

from memkube.apimachinery.go_dump import dumped
from memkube.apis.apps.v1.deployments.types import Deployment
from memkube.apis.core.v1.podspec.go_layout import POD_TEMPLATE
from memkube.apis.core.v1.podspec.types.pod_template import PodTemplateSpec

HASH_LABEL: Final = "pod-template-hash"
_LETTERS: Final = "bcdfghjklmnpqrstvwxz2456789"
_OFFSET: Final = 2166136261
"""FNV-1a, 32 bits."""
_PRIME: Final = 16777619
_LONGEST_NAME: Final = 253


def template_hash(deployment: Deployment) -> str:
    """The reference's digest of the template, which spells no words (``ComputeHash`` of ``controller_utils.go``).

    A collision that was noticed makes it another.
    """
    written = dumped("PodTemplateSpec", deployment.spec.template.to_document(), POD_TEMPLATE).encode()
    collisions = deployment.status.collisionCount
    if collisions is not None:
        written += collisions.to_bytes(8, "little")
    digest = _OFFSET
    for byte in written:
        digest = (digest ^ byte) * _PRIME % 2**32
    return "".join(_LETTERS[ord(digit) % len(_LETTERS)] for digit in str(digest))


def replica_set_name(deployment: Deployment, digest: str) -> str:
    """The name of the ReplicaSet for a template with this digest."""
    return f"{deployment.metadata.name[: _LONGEST_NAME - 1 - len(digest)]}-{digest}"


def same_template(one: PodTemplateSpec, other: PodTemplateSpec) -> bool:
    """Whether two templates make the same pods, but for the digest among their labels."""
    return _without_hash(one) == _without_hash(other)


def _without_hash(template: PodTemplateSpec) -> PodTemplateSpec:
    labels = {name: value for name, value in template.metadata.labels.items() if name != HASH_LABEL}
    return template.model_copy(update={"metadata": template.metadata.model_copy(update={"labels": labels})})
