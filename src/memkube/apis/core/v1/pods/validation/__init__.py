"""Validation of new pods, and of each kind of update of a pod."""

from memkube.apis.core.v1.pods.validation.create import validate_binding, validate_pod
from memkube.apis.core.v1.pods.validation.resize import validate_pod_resize
from memkube.apis.core.v1.pods.validation.status import validate_pod_status_update
from memkube.apis.core.v1.pods.validation.update import validate_pod_ephemeral_containers_update, validate_pod_update

__all__ = [
    "validate_binding",
    "validate_pod",
    "validate_pod_ephemeral_containers_update",
    "validate_pod_resize",
    "validate_pod_status_update",
    "validate_pod_update",
]
