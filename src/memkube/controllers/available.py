"""The controllers that there are, by the names that users switch them with."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from memkube.controllers.deployment.controller import DeploymentController
from memkube.controllers.disruption.controller import DisruptionController
from memkube.controllers.garbage_collector.controller import GarbageCollector
from memkube.controllers.job.controller import JobController
from memkube.controllers.kubelet.controller import Kubelet
from memkube.controllers.manager import Controller
from memkube.controllers.namespace.controller import NamespaceController
from memkube.controllers.namespace_objects import RootCertificatePublisher, ServiceAccountController
from memkube.controllers.node_lifecycle.controller import NodeLifecycleController
from memkube.controllers.pod_gc import PodGarbageCollector
from memkube.controllers.replica_set import ReplicaSetController, ReplicationControllerController
from memkube.controllers.scheduler.controller import Scheduler
from memkube.controllers.statefulset.controller import StatefulSetController
from memkube.controllers.taint_eviction import TaintEvictionController
from memkube.controllers.ttl_after_finished import TtlAfterFinishedController

CONTROLLERS: Final[Mapping[str, Controller]] = MappingProxyType(
    {
        "deployment": DeploymentController,
        "disruption": DisruptionController,
        "garbage-collector": GarbageCollector,
        "job": JobController,
        "kubelet": Kubelet,
        "namespace": NamespaceController,
        "node-lifecycle": NodeLifecycleController,
        "pod-gc": PodGarbageCollector,
        "replicaset": ReplicaSetController,
        "replicationcontroller": ReplicationControllerController,
        "root-ca": RootCertificatePublisher,
        "scheduler": Scheduler,
        "service-account": ServiceAccountController,
        "statefulset": StatefulSetController,
        "taint-eviction": TaintEvictionController,
        "ttl-after-finished": TtlAfterFinishedController,
    }
)
