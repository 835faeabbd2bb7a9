"""The controllers that users can select by name (``cmd/kube-controller-manager/names``).

Names and aliases are those of kube-controller-manager. Controllers that simulate another component, such as ``kubelet``
and ``scheduler``, have the component's name. The module of a controller is imported when the controller is first
created.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from types import MappingProxyType
from typing import Final, TypeAlias

from memkube.errors import unknown_name

ResourcePath: TypeAlias = tuple[str, str, str]
"""Group, version and plural name of a resource."""

ATTACH_DETACH: Final = "persistentvolume-attach-detach-controller"
COLLECTOR: Final = "garbage-collector-controller"
"""Name of the garbage collector. It starts when the first object exists that may need it (see FirstDependent)."""
KUBELET: Final = "kubelet"
SCHEDULER: Final = "scheduler"
NODE_LIFECYCLE: Final = "node-lifecycle-controller"
PROVISIONER: Final = "storage-provisioner"
ROOT_CA: Final = "root-ca-certificate-publisher-controller"
STAGE_CONTROLLER: Final = "stage-controller"
SERVICE_CIDR: Final = "service-cidr-controller"
SERVICE_ACCOUNT: Final = "serviceaccount-controller"
TTL: Final = "ttl-controller"


@dataclass(frozen=True, slots=True)
class ControllerDescriptor:
    """A controller that users can select (``app.ControllerDescriptor``)."""

    create: Callable[..., object]
    """Function that creates the controller from a Runtime."""
    aliases: tuple[str, ...] = ()
    """Further names for the controller on the command line."""
    woken_by: tuple[ResourcePath, ...] = ()
    """The controller is created with the first object of one of these resources, because it has no work without them.

    Objects that every server has from the start do not count. If this is empty, the controller is created at the start.
    """
    is_disabled_by_default: bool = False
    """True if ``all`` does not include the controller."""
    enabled_with: str = ""
    """Name of another controller that must run for ``all`` to include this controller; empty if there is none."""
    fulfills: tuple[ResourcePath, ...] = ()
    """Resources whose objects have no effect if the controller does not run."""


def _lazy(path: str) -> Callable[..., object]:
    return partial(_create, path)


def _create(path: str, runtime: object) -> object:
    module, _, name = path.partition(":")
    return getattr(import_module(f"memkube.controllers.{module}"), name)(runtime)


_PODS: Final = ("", "v1", "pods")
_SERVICES: Final = ("", "v1", "services")
_JOBS: Final = ("batch", "v1", "jobs")
_SECRETS: Final = ("", "v1", "secrets")
_CRON_JOBS: Final = ("batch", "v1", "cronjobs")
_DAEMON_SETS: Final = ("apps", "v1", "daemonsets")
_DEPLOYMENTS: Final = ("apps", "v1", "deployments")
_BUDGETS: Final = ("policy", "v1", "poddisruptionbudgets")
_AUTOSCALERS: Final = ("autoscaling", "v2", "horizontalpodautoscalers")
_REPLICA_SETS: Final = ("apps", "v1", "replicasets")
_REPLICATION_CONTROLLERS: Final = ("", "v1", "replicationcontrollers")
_QUOTAS: Final = ("", "v1", "resourcequotas")
_STATEFUL_SETS: Final = ("apps", "v1", "statefulsets")
_SIGNING_REQUESTS: Final = ("certificates.k8s.io", "v1", "certificatesigningrequests")
_POLICIES: Final = ("admissionregistration.k8s.io", "v1", "validatingadmissionpolicies")
_VOLUMES: Final = ("", "v1", "persistentvolumes")
_STAGES: Final = ("kwok.x-k8s.io", "v1alpha1", "stages")
_CLAIMS: Final = ("", "v1", "persistentvolumeclaims")
_RESOURCE_CLAIMS: Final = ("resource.k8s.io", "v1", "resourceclaims")
_ATTACHMENTS: Final = ("storage.k8s.io", "v1", "volumeattachments")

CONTROLLERS: Final[Mapping[str, ControllerDescriptor]] = MappingProxyType(
    {
        "certificatesigningrequest-signing-controller": ControllerDescriptor(
            _lazy("certificates.signing:SigningController"),
            ("csrsigning",),
            (_SIGNING_REQUESTS,),
            fulfills=(_SIGNING_REQUESTS,),
        ),
        "certificatesigningrequest-approving-controller": ControllerDescriptor(
            _lazy("certificates.approving:ApprovingController"), ("csrapproving",), (_SIGNING_REQUESTS,)
        ),
        "certificatesigningrequest-cleaner-controller": ControllerDescriptor(
            _lazy("certificates.cleaning:CleanerController"), ("csrcleaner",), (_SIGNING_REQUESTS,)
        ),
        "clusterrole-aggregation-controller": ControllerDescriptor(
            _lazy("cluster_role_aggregation:ClusterRoleAggregationController"),
            ("clusterrole-aggregation",),
            (("rbac.authorization.k8s.io", "v1", "clusterroles"),),
        ),
        "cronjob-controller": ControllerDescriptor(
            _lazy("cronjob.controller:CronJobController"), ("cronjob",), (_CRON_JOBS,), fulfills=(_CRON_JOBS,)
        ),
        "daemonset-controller": ControllerDescriptor(
            _lazy("daemonset.controller:DaemonSetController"), ("daemonset",), (_DAEMON_SETS,), fulfills=(_DAEMON_SETS,)
        ),
        "deployment-controller": ControllerDescriptor(
            _lazy("deployment.controller:DeploymentController"),
            ("deployment",),
            (_DEPLOYMENTS,),
            fulfills=(_DEPLOYMENTS,),
        ),
        "device-taint-eviction-controller": ControllerDescriptor(
            _lazy("device_taint_eviction:DeviceTaintEvictionController"),
            woken_by=(("resource.k8s.io", "v1", "resourceslices"),),
        ),
        "disruption-controller": ControllerDescriptor(
            _lazy("disruption.controller:DisruptionController"),
            ("disruption",),
            (_BUDGETS, _PODS),
            fulfills=(_BUDGETS,),
        ),
        "endpoints-controller": ControllerDescriptor(
            _lazy("endpoints.controller:EndpointsController"), ("endpoint",), (_SERVICES,)
        ),
        "endpointslice-controller": ControllerDescriptor(
            _lazy("endpoint_slices.controller:EndpointSliceController"),
            ("endpointslice",),
            (_SERVICES,),
            fulfills=(_SERVICES,),
        ),
        "endpointslice-mirroring-controller": ControllerDescriptor(
            _lazy("endpoint_slices.mirroring:EndpointSliceMirroringController"),
            ("endpointslicemirroring",),
            (("", "v1", "endpoints"),),
        ),
        "ephemeral-volume-controller": ControllerDescriptor(
            _lazy("volumes.ephemeral:EphemeralVolumeController"), ("ephemeral-volume",), (_PODS,)
        ),
        COLLECTOR: ControllerDescriptor(
            _lazy("garbage_collector.controller:GarbageCollector"), ("garbagecollector", "garbage-collector")
        ),
        "horizontal-pod-autoscaler-controller": ControllerDescriptor(
            _lazy("pod_autoscaler.controller:HorizontalPodAutoscalerController"),
            ("horizontalpodautoscaling",),
            (_AUTOSCALERS,),
            fulfills=(_AUTOSCALERS,),
        ),
        "job-controller": ControllerDescriptor(
            _lazy("job.controller:JobController"), ("job",), (_JOBS, _PODS), fulfills=(_JOBS,)
        ),
        KUBELET: ControllerDescriptor(_lazy("kubelet.controller:Kubelet")),
        "cluster-autoscaler": ControllerDescriptor(
            _lazy("cluster_autoscaler.controller:ClusterAutoscaler"), enabled_with=KUBELET
        ),
        "load-balancer": ControllerDescriptor(
            _lazy("load_balancer:LoadBalancerController"),
            woken_by=(_SERVICES, ("networking.k8s.io", "v1", "ingresses")),
            enabled_with=KUBELET,
        ),
        "namespace-controller": ControllerDescriptor(_lazy("namespace.controller:NamespaceController"), ("namespace",)),
        NODE_LIFECYCLE: ControllerDescriptor(
            _lazy("node_lifecycle.controller:NodeLifecycleController"), ("nodelifecycle", "node-lifecycle")
        ),
        ATTACH_DETACH: ControllerDescriptor(
            _lazy("volumes.attach_detach:AttachDetachController"), ("attachdetach",), (_VOLUMES, _ATTACHMENTS)
        ),
        "persistentvolume-binder-controller": ControllerDescriptor(
            _lazy("volumes.binder:PersistentVolumeBinder"),
            ("persistentvolume-binder",),
            (_VOLUMES, _CLAIMS),
            fulfills=(_VOLUMES, _CLAIMS),
        ),
        "persistentvolume-expander-controller": ControllerDescriptor(
            _lazy("volumes.expander:PersistentVolumeExpander"), ("persistentvolume-expander",), (_CLAIMS,)
        ),
        "node-ipam-controller": ControllerDescriptor(
            _lazy("node_ipam:NodeIpamController"), ("nodeipam",), (("", "v1", "nodes"),), is_disabled_by_default=True
        ),
        "persistentvolume-protection-controller": ControllerDescriptor(
            _lazy("volumes.protection:PersistentVolumeProtection"), ("pv-protection",), (_VOLUMES,)
        ),
        "persistentvolumeclaim-protection-controller": ControllerDescriptor(
            _lazy("volumes.protection:PersistentVolumeClaimProtection"), ("pvc-protection",), (_CLAIMS,)
        ),
        "pod-garbage-collector-controller": ControllerDescriptor(
            _lazy("pod_gc:PodGarbageCollector"), ("podgc", "pod-gc")
        ),
        "replicaset-controller": ControllerDescriptor(
            _lazy("replica_set:ReplicaSetController"), ("replicaset",), (_REPLICA_SETS,), fulfills=(_REPLICA_SETS,)
        ),
        "replicationcontroller-controller": ControllerDescriptor(
            _lazy("replica_set:ReplicationControllerController"),
            ("replicationcontroller",),
            (_REPLICATION_CONTROLLERS,),
            fulfills=(_REPLICATION_CONTROLLERS,),
        ),
        "resourceclaim-controller": ControllerDescriptor(
            _lazy("resource_claims.controller:ResourceClaimController"),
            ("resource-claim-controller",),
            (_RESOURCE_CLAIMS, _PODS),
        ),
        "resourcequota-controller": ControllerDescriptor(
            _lazy("resource_quota.controller:ResourceQuotaController"),
            ("resourcequota",),
            (_QUOTAS,),
            fulfills=(_QUOTAS,),
        ),
        ROOT_CA: ControllerDescriptor(
            _lazy("namespace_objects:RootCertificatePublisher"), ("root-ca-cert-publisher", "root-ca")
        ),
        "serviceaccount-token-controller": ControllerDescriptor(
            _lazy("service_account_tokens.filling:TokenController"), ("serviceaccount-token",), (_SECRETS,)
        ),
        "legacy-serviceaccount-token-cleaner-controller": ControllerDescriptor(
            _lazy("service_account_tokens.cleaning:LegacyTokenCleaner"),
            ("legacy-service-account-token-cleaner",),
            (_SECRETS,),
        ),
        "bootstrap-signer-controller": ControllerDescriptor(
            _lazy("bootstrap_tokens.signing:BootstrapSigner"), ("bootstrapsigner",), is_disabled_by_default=True
        ),
        "token-cleaner-controller": ControllerDescriptor(
            _lazy("bootstrap_tokens.cleaning:TokenCleaner"), ("tokencleaner",), (_SECRETS,), is_disabled_by_default=True
        ),
        SCHEDULER: ControllerDescriptor(_lazy("scheduler.controller:Scheduler"), woken_by=(_PODS,)),
        SERVICE_CIDR: ControllerDescriptor(
            _lazy("service_cidrs:ServiceCIDRController"),
            woken_by=(("networking.k8s.io", "v1", "servicecidrs"),),
        ),
        SERVICE_ACCOUNT: ControllerDescriptor(
            _lazy("namespace_objects:ServiceAccountController"), ("serviceaccount", "service-account")
        ),
        STAGE_CONTROLLER: ControllerDescriptor(
            _lazy("stages.controller:StageController"),
            ("stages",),
            (_STAGES,),
            fulfills=(_STAGES,),
        ),
        "statefulset-controller": ControllerDescriptor(
            _lazy("statefulset.controller:StatefulSetController"),
            ("statefulset",),
            (_STATEFUL_SETS,),
            fulfills=(_STATEFUL_SETS,),
        ),
        PROVISIONER: ControllerDescriptor(
            _lazy("volumes.provisioner:SimulatedProvisioner"), woken_by=(_CLAIMS, _VOLUMES, _ATTACHMENTS)
        ),
        "taint-eviction-controller": ControllerDescriptor(
            _lazy("taint_eviction:TaintEvictionController"), ("taint-eviction",), (_PODS,)
        ),
        "ttl-after-finished-controller": ControllerDescriptor(
            _lazy("ttl_after_finished:TtlAfterFinishedController"), ("ttl-after-finished",), (_JOBS,)
        ),
        TTL: ControllerDescriptor(_lazy("ttl:TtlController"), ("ttl",), (("", "v1", "nodes"),)),
        "validatingadmissionpolicy-status-controller": ControllerDescriptor(
            _lazy("policy_status.controller:ValidatingAdmissionPolicyStatusController"),
            ("validatingadmissionpolicy-status",),
            (_POLICIES,),
        ),
        "volumeattributesclass-protection-controller": ControllerDescriptor(
            _lazy("volumes.protection:VolumeAttributesClassProtection"),
            ("vac-protection",),
            (("storage.k8s.io", "v1", "volumeattributesclasses"),),
        ),
    }
)
"""The simulated controllers by name, in the order in which they are created."""

NOT_SIMULATED: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "cloud-node-lifecycle-controller": ("cloud-node-lifecycle",),
        "kube-apiserver-serving-clustertrustbundle-publisher-controller": (),
        "node-route-controller": ("route",),
        "podcertificaterequest-cleaner-controller": (),
        "podgroup-protection-controller": (),
        "resourcepoolstatusrequest-controller": (),
        "selinux-warning-controller": (),
        "service-lb-controller": ("service",),
        "storage-version-migrator-controller": ("svm",),
        "storageversion-garbage-collector-controller": ("storage-version-gc",),
    }
)
"""Controllers of kube-controller-manager that memkube does not have, with their aliases."""


def absent_controllers(names: Collection[str]) -> Mapping[tuple[str, str], str]:
    """Return the names of controllers that do not run, by the group and plural of the objects that they reconcile.

    `names` are the controllers that run. If it is empty, the result is empty too: clients of an API server without any
    controllers do not expect objects to be reconciled.
    """
    if not names:
        return {}
    found: dict[tuple[str, str], str] = {}
    for name, descriptor in CONTROLLERS.items():
        if name not in names:
            found.update({(group, plural): name for group, _, plural in descriptor.fulfills})
    return found


def selected_names(
    text: str,
    known: Mapping[str, ControllerDescriptor] = CONTROLLERS,
    not_simulated: Mapping[str, tuple[str, ...]] = NOT_SIMULATED,
) -> tuple[str, ...]:
    """Return the names of the controllers that a user selects, in the order of `known`.

    `text` is ``all`` (or ``*``), ``none``, ``NAME,NAME``, ``all,-NAME`` or ``all,NAME``, with names or aliases.
    `not_simulated` names the controllers of Kubernetes that memkube does not have. ``-NAME`` with such a name is
    accepted and has no effect.

    Raises ValueError with a message of one line for an unknown name, for ``-NAME`` without ``all``, and if the user
    enables a controller in `not_simulated`.
    """
    words = [word for word in text.split(",") if word]
    is_all = not {"all", "*"}.isdisjoint(words)
    names = _canonical_names(known.keys(), ((name, each.aliases) for name, each in known.items()))
    missing = _canonical_names(not_simulated.keys(), not_simulated.items())
    chosen = {name for name, each in known.items() if is_all and not each.is_disabled_by_default}
    explicit, disabled = set[str](), set[str]()
    for word in words:
        if word in ("all", "*", "none"):
            continue
        alias = word.removeprefix("-")
        if alias not in names and alias not in missing:
            raise ValueError(unknown_name("controller", alias, tuple(known)))
        if not word.startswith("-"):
            if alias in missing:
                raise ValueError(f"memkube does not have the controller {alias!r}: choose from {', '.join(known)}")
            explicit.add(names[alias])
        elif not is_all:
            raise ValueError(f"{word} takes a controller away from all, so write all,{word}")
        elif alias in names:
            disabled.add(names[alias])
    left = (chosen | explicit) - disabled
    return tuple(
        name for name, each in known.items() if name in left and (name in explicit or each.enabled_with in ("", *left))
    )


def _canonical_names(names: Iterable[str], aliases: Iterable[tuple[str, tuple[str, ...]]]) -> Mapping[str, str]:
    """Map each controller in `names` to itself, and each alias in `aliases`, pairs (name, its aliases), to its name."""
    return {name: name for name in names} | {alias: name for name, others in aliases for alias in others}
