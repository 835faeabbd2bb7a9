"""What a ReplicaSet gets where the client says nothing (``pkg/apis/apps/v1/defaults.go``)."""

from memkube.apis.apps.v1.replicasets.types import ReplicaSet
from memkube.apis.core.v1.podspec.defaults import default_pod_template


def default_replica_set(replica_set: ReplicaSet) -> None:
    """Fills a ReplicaSet in place."""
    spec = replica_set.spec
    default_pod_template(spec.template)
    if spec.replicas is None:
        spec.replicas = 1
