"""The controllers that there are, by the names that users switch them with; they are imported when chosen."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from memkube.controllers.runtime import Controller
from memkube.registry.lazy import Lazy

_CLASSES: Final = {
    "deployment": "deployment.controller:DeploymentController",
    "disruption": "disruption.controller:DisruptionController",
    "garbage-collector": "garbage_collector.controller:GarbageCollector",
    "job": "job.controller:JobController",
    "kubelet": "kubelet.controller:Kubelet",
    "namespace": "namespace.controller:NamespaceController",
    "node-lifecycle": "node_lifecycle.controller:NodeLifecycleController",
    "pod-gc": "pod_gc:PodGarbageCollector",
    "replicaset": "replica_set.controller:ReplicaSetController",
    "replicationcontroller": "replica_set.controller:ReplicationControllerController",
    "root-ca": "root_ca:RootCertificatePublisher",
    "scheduler": "scheduler.controller:Scheduler",
    "service-account": "service_account:ServiceAccountController",
    "statefulset": "statefulset.controller:StatefulSetController",
    "taint-eviction": "taint_eviction.controller:TaintEvictionController",
    "ttl-after-finished": "ttl_after_finished:TtlAfterFinishedController",
}

CONTROLLERS: Final[Mapping[str, Lazy[Controller]]] = MappingProxyType(
    {name: Lazy(f"memkube.controllers.{path}") for name, path in _CLASSES.items()}
)
