"""What a ReplicationController gets where the client says nothing (``pkg/apis/core/v1/defaults.go``)."""

from memkube.apis.core.v1.podspec.defaults import default_pod_template
from memkube.apis.core.v1.replicationcontrollers.types import ReplicationController


def default_replication_controller(controller: ReplicationController) -> None:
    """Fills a controller in place: its labels and selector come from the template."""
    spec = controller.spec
    if spec.replicas is None:
        spec.replicas = 1
    if spec.template is None:
        return
    default_pod_template(spec.template)
    if labels := spec.template.metadata.labels:
        spec.selector = spec.selector or dict(labels)
        controller.metadata.labels = controller.metadata.labels or dict(labels)
