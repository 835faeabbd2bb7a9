"""The ReplicaSet for the present pod template of a Deployment (``getNewReplicaSet``)."""

from typing import Final

from memkube.apimachinery.meta.v1.api_object import OwnerReference
from memkube.apimachinery.meta.v1.selectors import LabelSelector
from memkube.apis.apps.v1.deployments.types import Deployment
from memkube.apis.apps.v1.replicasets.types import ReplicaSet
from memkube.apis.core.v1.podspec.types.pod_spec import PodTemplateSpec
from memkube.controllers.workloads.owners import reference_to
from memkube.controllers.workloads.template_hash import template_hash
from memkube.registry.declarations.resource import Resource
from memkube.registry.objects.stored import StoredObject

HASH_LABEL: Final = "pod-template-hash"
_LONGEST_NAME: Final = 253


def replica_set_name(deployment: Deployment, digest: str) -> str:
    """Return the name of the Deployment's ReplicaSet for the pod template with this hash."""
    return f"{deployment.metadata.name[: _LONGEST_NAME - 1 - len(digest)]}-{digest}"


def same_template(one: PodTemplateSpec, other: PodTemplateSpec) -> bool:
    """True if two pod templates are equal, apart from the label ``pod-template-hash``."""
    return _without_hash(one) == _without_hash(other)


def _without_hash(template: PodTemplateSpec) -> PodTemplateSpec:
    labels = {name: value for name, value in template.metadata.labels.items() if name != HASH_LABEL}
    return template.model_copy(update={"metadata": template.metadata.model_copy(update={"labels": labels})})


def replica_set_for(deployment: Deployment, stored: StoredObject, resource: Resource) -> ReplicaSet:
    """Return a new ReplicaSet for the Deployment's pod template.

    Its selector and labels contain the hash of the template. The number of replicas is not set. `stored` is the stored
    Deployment, and `resource` the resource of Deployments; both are for the owner reference.
    """
    digest = {HASH_LABEL: template_hash(deployment.spec.template, deployment.status.collisionCount)}
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
