"""The ReplicaSet for the present template of a Deployment (``getNewReplicaSet``), and the hash of the template."""

from typing import Final

from memkube.apimachinery.field_facts import go_package
from memkube.apimachinery.go_dump import dump_for_hash
from memkube.apimachinery.meta.v1.api_object import OwnerReference
from memkube.apimachinery.meta.v1.selectors import LabelSelector
from memkube.apis.apps.v1.deployments.types import Deployment
from memkube.apis.apps.v1.replicasets.types import ReplicaSet
from memkube.apis.core.v1 import GO_PACKAGE
from memkube.apis.core.v1.podspec.types.pod_spec import PodTemplateSpec
from memkube.controllers.workloads.digest import fnv1a_digest
from memkube.controllers.workloads.owners import reference_to
from memkube.registry.declarations.resource import Resource
from memkube.registry.objects.stored import StoredObject

HASH_LABEL: Final = "pod-template-hash"
_LONGEST_NAME: Final = 253


def template_hash(deployment: Deployment) -> str:
    """Return the pod-template-hash of a template (``ComputeHash`` of ``controller_utils.go``).

    The Deployment's collision count changes the hash.
    """
    written = dump_for_hash(go_package(GO_PACKAGE), "PodTemplateSpec", deployment.spec.template.to_document()).encode()
    collisions = deployment.status.collisionCount
    if collisions is not None:
        written += collisions.to_bytes(8, "little")
    return fnv1a_digest(written)


def replica_set_name(deployment: Deployment, digest: str) -> str:
    """Return the name of the ReplicaSet for the template with this hash."""
    return f"{deployment.metadata.name[: _LONGEST_NAME - 1 - len(digest)]}-{digest}"


def same_template(one: PodTemplateSpec, other: PodTemplateSpec) -> bool:
    """True if two templates are equal apart from the pod-template-hash label."""
    return _without_hash(one) == _without_hash(other)


def _without_hash(template: PodTemplateSpec) -> PodTemplateSpec:
    labels = {name: value for name, value in template.metadata.labels.items() if name != HASH_LABEL}
    return template.model_copy(update={"metadata": template.metadata.model_copy(update={"labels": labels})})


def replica_set_for(deployment: Deployment, stored: StoredObject, resource: Resource) -> ReplicaSet:
    """Return a ReplicaSet for a template, with its hash in selector and labels, and without replicas."""
    digest = {HASH_LABEL: template_hash(deployment)}
    made = ReplicaSet()
    made.metadata.name = replica_set_name(deployment, digest[HASH_LABEL])
    made.metadata.ownerReferences = [OwnerReference.from_document(reference_to(stored, resource))]
    made.spec.minReadySeconds = deployment.spec.minReadySeconds
    selector = (deployment.spec.selector or LabelSelector()).model_copy(deep=True)
    selector.matchLabels |= digest
    made.spec.selector = selector
    made.spec.template = deployment.spec.template.model_copy(deep=True)
    made.spec.template.metadata.labels |= digest
    made.metadata.labels = dict(made.spec.template.metadata.labels)
    return made
