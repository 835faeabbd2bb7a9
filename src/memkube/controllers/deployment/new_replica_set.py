"""The ReplicaSet of a Deployment's present template."""

from memkube.apimachinery.meta.v1.api_object import OwnerReference
from memkube.apimachinery.meta.v1.selectors import LabelSelector
from memkube.apis.apps.v1.deployments.types import Deployment
from memkube.apis.apps.v1.replicasets.types import ReplicaSet
from memkube.controllers.deployment.template_hash import HASH_LABEL, replica_set_name, template_hash
from memkube.controllers.workloads.owners import reference_to
from memkube.registry.resource import Resource
from memkube.registry.stored import StoredObject


def replica_set_for(deployment: Deployment, stored: StoredObject, resource: Resource) -> ReplicaSet:
    """A ReplicaSet that selects and makes pods with the template's digest among their labels; without a size."""
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
