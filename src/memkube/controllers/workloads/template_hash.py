"""The hash of a pod template, used as ``pod-template-hash`` (``ComputeHash`` of ``controller_utils.go``)."""

from memkube.apimachinery.field_facts import go_package
from memkube.apimachinery.go_dump import dump_for_hash
from memkube.apis.core.v1 import GO_PACKAGE
from memkube.apis.core.v1.podspec.types.pod_spec import PodTemplateSpec
from memkube.controllers.workloads.digest import fnv1a_digest


def template_hash(template: PodTemplateSpec, collisions: int | None) -> str:
    """Return the hash of a pod template, as in the label ``pod-template-hash`` of a ReplicaSet and its pods.

    The hash also depends on the collision count of the template's owner.
    """
    written = dump_for_hash(go_package(GO_PACKAGE), "PodTemplateSpec", template.to_document()).encode()
    if collisions is not None:
        written += collisions.to_bytes(8, "little")
    return fnv1a_digest(written)
