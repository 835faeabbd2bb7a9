"""The controllers by the names with which users select them.

A controller's module is imported when it is first created.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib import import_module
from types import MappingProxyType
from typing import Final, TypeAlias

Controller: TypeAlias = Callable[..., object]
"""Creates a controller from a Runtime."""

COLLECTOR: Final = "garbage-collector"
"""Name of the garbage collector. It starts with the first object that has an owner or finalizer (see
FirstDependent)."""

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


def _create(path: str, runtime: object) -> object:
    module, _, name = path.partition(":")
    return getattr(import_module(f"memkube.controllers.{module}"), name)(runtime)


CONTROLLERS: Final[Mapping[str, Controller]] = MappingProxyType(
    {name: partial(_create, path) for name, path in _CLASSES.items()}
)
"""Functions that create a controller, by its name; each imports the controller's module first."""

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
"""Resources (group, version, plural) by controller: while none of them has objects, the controller has nothing to
do."""
