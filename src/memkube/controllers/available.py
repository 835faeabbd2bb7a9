"""The controllers that there are, by the names that users switch them with; they are imported when chosen."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Final, TypeAlias

from memkube.registry.declarations.lazy import Lazy

Controller: TypeAlias = Callable[..., object]
"""Makes a controller: see Runtime for what that means, which it is given."""

COLLECTOR: Final = "garbage-collector"
"""What sleeps until some object depends on another, see FirstDependent."""

_CLASSES: Final = {
    "deployment": "deployment.controller:DeploymentController",
    "disruption": "disruption.controller:DisruptionController",
    COLLECTOR: "garbage_collector.controller:GarbageCollector",
    "job": "job.controller:JobController",
    "kubelet": "kubelet.controller:Kubelet",
    "namespace": "namespace.controller:NamespaceController",
    "node-lifecycle": "node_lifecycle.controller:NodeLifecycleController",
    "pod-gc": "pod_gc:PodGarbageCollector",
    "pv-protection": "storage_protection:PersistentVolumeProtection",
    "pvc-protection": "storage_protection:PersistentVolumeClaimProtection",
    "replicaset": "replica_set:ReplicaSetController",
    "replicationcontroller": "replica_set:ReplicationControllerController",
    "root-ca": "namespace_objects:RootCertificatePublisher",
    "scheduler": "scheduler.controller:Scheduler",
    "service-account": "namespace_objects:ServiceAccountController",
    "statefulset": "statefulset.controller:StatefulSetController",
    "taint-eviction": "taint_eviction:TaintEvictionController",
    "ttl-after-finished": "ttl_after_finished:TtlAfterFinishedController",
    "validatingadmissionpolicy-status": "policy_status.controller:ValidatingAdmissionPolicyStatusController",
    "vac-protection": "storage_protection:VolumeAttributesClassProtection",
}

CONTROLLERS: Final[Mapping[str, Lazy[Controller]]] = MappingProxyType(
    {name: Lazy(f"memkube.controllers.{path}") for name, path in _CLASSES.items()}
)

_PODS: Final = ("", "v1", "pods")
_JOBS: Final = ("batch", "v1", "jobs")
WOKEN_BY: Final[Mapping[str, Sequence[tuple[str, str, str]]]] = MappingProxyType(
    {
        "deployment": [("apps", "v1", "deployments")],
        "disruption": [("policy", "v1", "poddisruptionbudgets"), _PODS],
        "job": [_JOBS, _PODS],
        "pv-protection": [("", "v1", "persistentvolumes")],
        "pvc-protection": [("", "v1", "persistentvolumeclaims")],
        "replicaset": [("apps", "v1", "replicasets")],
        "replicationcontroller": [("", "v1", "replicationcontrollers")],
        "scheduler": [_PODS],
        "statefulset": [("apps", "v1", "statefulsets")],
        "taint-eviction": [_PODS],
        "ttl-after-finished": [_JOBS],
        "validatingadmissionpolicy-status": [("admissionregistration.k8s.io", "v1", "validatingadmissionpolicies")],
        "vac-protection": [("storage.k8s.io", "v1", "volumeattributesclasses")],
    }
)
"""Without an object of these resources (group, version, plural), such a controller has nothing to do."""

SERVERS_OWN: Final[Mapping[str, Lazy[Controller]]] = MappingProxyType(
    {
        "api-services": Lazy("memkube.controllers.aggregation.availability:ApiServiceAvailability"),
        "api-service-registration": Lazy("memkube.controllers.aggregation.registration:ApiServiceRegistration"),
        "definitions": Lazy("memkube.controllers.definitions.controller:DefinitionController"),
    }
)
"""What the reference's API server runs itself, whichever controllers are chosen."""
