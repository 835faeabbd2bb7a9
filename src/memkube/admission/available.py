"""The admission plugins of kube-apiserver in the order in which they run, and their implementations in this server.

Source: ``pkg/kubeapiserver/options/plugins.go``.
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final, TypeAlias

from memkube.admission.chain import CHANGES, EVERYTHING, Registration
from memkube.registry.declarations.admission import Operation
from memkube.registry.declarations.lazy import Lazy

SERVICE_ACCOUNT_PLUGIN: Final = "ServiceAccount"

_Resources: TypeAlias = frozenset[tuple[str, str]]

_PODS: Final = frozenset({("", "pods")})
_CLAIMS: Final = frozenset({("", "persistentvolumeclaims")})
_POD_MAKERS: Final = frozenset(
    {
        ("", "podtemplates"),
        ("", "replicationcontrollers"),
        ("apps", "daemonsets"),
        ("apps", "deployments"),
        ("apps", "replicasets"),
        ("apps", "statefulsets"),
        ("batch", "cronjobs"),
        ("batch", "jobs"),
    }
)
_IN_USE: Final = _CLAIMS | {("", "persistentvolumes"), ("storage.k8s.io", "volumeattributesclasses")}
_NODES: Final = frozenset({("", "nodes")})
_INGRESSES: Final = frozenset({("networking.k8s.io", "ingresses")})
_SIGNING_REQUESTS: Final = frozenset({("certificates.k8s.io", "certificatesigningrequests")})
_SERVICES: Final = frozenset({("", "services")})
_NOTHING: Final[_Resources] = frozenset()
_CREATIONS: Final[frozenset[Operation]] = frozenset({"CREATE"})
_UPDATES: Final[frozenset[Operation]] = frozenset({"UPDATE"})
_REMOVALS: Final[frozenset[Operation]] = CHANGES | {"DELETE"}
_WITH_AN_OBJECT: Final[frozenset[Operation]] = CHANGES | {"CONNECT"}


@dataclass(frozen=True)
class Absent:
    """A kube-apiserver plugin that this server cannot enable, because its configuration file is not supported."""

    name: str
    why: str
    """Error message if a server is to start with this plugin enabled."""


def _registered(
    name: str, path: str, resources: _Resources | None = None, operations: frozenset[Operation] = CHANGES
) -> Registration:
    return Registration(name, Lazy(f"memkube.admission.{path}"), resources, operations)


def _void(name: str) -> Registration:
    """Return the registration of a kube-apiserver plugin that can be enabled, but has no effect in this server."""
    return Registration(name, Lazy(""), _NOTHING)


def _without_configuration(name: str, why: str) -> Absent:
    """Describe a plugin that cannot be enabled, because memkube does not read the plugin's configuration file.

    kube-apiserver too refuses to start if the plugin is enabled and the file is missing. `why` is the reason that its
    error message gives.
    """
    return Absent(name, f'couldn\'t init admission plugin "{name}": {why}')


_ORDERED: Final[tuple[Registration | Absent, ...]] = (
    _void("AlwaysAdmit"),
    _registered("NamespaceAutoProvision", "namespace_existence:NamespaceAutoProvision", None, _CREATIONS),
    _registered("NamespaceLifecycle", "namespace_lifecycle:NamespaceLifecycle", None, _REMOVALS),
    _registered("NamespaceExists", "namespace_existence:NamespaceExists", None, _REMOVALS),
    _registered(
        "LimitPodHardAntiAffinityTopology",
        "limit_pod_hard_anti_affinity_topology:LimitPodHardAntiAffinityTopology",
        _PODS,
    ),
    # Kubernetes 1.20 removed PodPreset. Here, the plugin runs at the position that it had in Kubernetes 1.19.
    _registered("PodPreset", "pod_preset:PodPresetPlugin", _PODS),
    _registered("LimitRanger", "limit_ranger:LimitRanger", _PODS | _CLAIMS),
    _registered(SERVICE_ACCOUNT_PLUGIN, "service_account:ServiceAccountPlugin", _PODS),
    _registered("NodeRestriction", "node_restriction.plugin:NodeRestriction", None, _REMOVALS),
    _registered("TaintNodesByCondition", "taint_nodes_by_condition:TaintNodesByCondition", _NODES),
    _registered("AlwaysPullImages", "always_pull_images:AlwaysPullImages", _PODS),
    _without_configuration("ImagePolicyWebhook", "no config specified"),
    _registered("PodSecurity", "pod_security.plugin:PodSecurity", _PODS | _POD_MAKERS | {("", "namespaces")}),
    _registered("PodNodeSelector", "pod_node_selector:PodNodeSelector", _PODS, _CREATIONS),
    _registered("Priority", "priority:Priority", _PODS | {("scheduling.k8s.io", "priorityclasses")}),
    _registered("DefaultTolerationSeconds", "default_toleration_seconds:DefaultTolerationSeconds", _PODS),
    _registered("PodTolerationRestriction", "pod_toleration_restriction:PodTolerationRestriction", _PODS),
    _without_configuration("EventRateLimit", "limits: Invalid value: null: must not be empty"),
    _registered("ExtendedResourceToleration", "extended_resource_toleration:ExtendedResourceToleration", _PODS),
    _registered("DefaultStorageClass", "default_storage_class:DefaultStorageClass", _CLAIMS, _CREATIONS),
    _registered(
        "StorageObjectInUseProtection",
        "storage_object_in_use_protection:StorageObjectInUseProtection",
        _IN_USE,
        _CREATIONS,
    ),
    # PodGroupProtection has no effect: it handles PodGroups, which are not served without the feature gate
    # GenericWorkload.
    _void("PodGroupProtection"),
    _registered("OwnerReferencesPermissionEnforcement", "owner_references:OwnerReferencesPermissionEnforcement"),
    _registered(
        "PersistentVolumeClaimResize", "persistent_volume_claim_resize:PersistentVolumeClaimResize", _CLAIMS, _UPDATES
    ),
    _registered("RuntimeClass", "runtime_class:RuntimeClass", _PODS, _CREATIONS),
    _registered("CertificateApproval", "certificate_signers:CertificateApproval", _SIGNING_REQUESTS, _UPDATES),
    _registered("CertificateSigning", "certificate_signers:CertificateSigning", _SIGNING_REQUESTS, _UPDATES),
    # ClusterTrustBundleAttest has no effect: it checks ClusterTrustBundles, which are not served without their feature
    # gate.
    _void("ClusterTrustBundleAttest"),
    _registered(
        "CertificateSubjectRestriction",
        "certificate_subject_restriction:CertificateSubjectRestriction",
        _SIGNING_REQUESTS,
        _CREATIONS,
    ),
    _registered("DefaultIngressClass", "default_ingress_class:DefaultIngressClass", _INGRESSES, _CREATIONS),
    _registered("DenyServiceExternalIPs", "deny_service_external_ips:DenyServiceExternalIPs", _SERVICES),
    _registered("PodTopologyLabels", "pod_topology_labels:PodTopologyLabels", _PODS),
    # PodGroupWorkloadExists has no effect: it checks PodGroups, which are not served without the feature gate
    # GenericWorkload.
    _void("PodGroupWorkloadExists"),
    _registered("NodeDeclaredFeatureValidator", "pod_resize:NodeDeclaredFeatureValidator", _PODS, _UPDATES),
    # JobValidation has no effect, because it checks Jobs only if the feature gate WorkloadWithJob is on.
    _void("JobValidation"),
    _registered("PodResizeValidator", "pod_resize:PodResizeValidator", _PODS, _UPDATES),
    _registered("MutatingAdmissionPolicy", "policies.plugin:MutatingAdmissionPolicy", None, _WITH_AN_OBJECT),
    _registered("MutatingAdmissionWebhook", "webhooks.plugin:MutatingAdmissionWebhook", None, EVERYTHING),
    _registered("ValidatingAdmissionPolicy", "policies.plugin:ValidatingAdmissionPolicy", None, EVERYTHING),
    _registered("ValidatingAdmissionWebhook", "webhooks.plugin:ValidatingAdmissionWebhook", None, EVERYTHING),
    _registered("ResourceQuota", "resource_quota:ResourceQuotaPlugin"),
    _registered("AlwaysDeny", "always_deny:AlwaysDeny", None, EVERYTHING),
)

_OFF: Final = frozenset(
    {
        "AlwaysAdmit",
        "AlwaysDeny",
        "AlwaysPullImages",
        "DenyServiceExternalIPs",
        "EventRateLimit",
        "ExtendedResourceToleration",
        "ImagePolicyWebhook",
        "LimitPodHardAntiAffinityTopology",
        "NamespaceAutoProvision",
        "NamespaceExists",
        "NodeRestriction",
        "OwnerReferencesPermissionEnforcement",
        "PodNodeSelector",
        "PodPreset",
        "PodTolerationRestriction",
    }
)
_ABSENT: Final = {plugin.name: plugin for plugin in _ORDERED if isinstance(plugin, Absent)}

PLUGINS: Final[dict[str, Registration]] = {r.name: r for r in _ORDERED if isinstance(r, Registration)}
"""The available plugins by name, in the order in which they run."""
DEFAULT_PLUGINS: Final = tuple(name for name in PLUGINS if name not in _OFF)
"""Names of the plugins that run unless they are disabled, as in kube-apiserver."""


def default_plugins(*, have_accounts: bool) -> tuple[str, ...]:
    """Return the names of the plugins that run unless they are disabled.

    `have_accounts` is True if each namespace gets a default ServiceAccount. Otherwise the plugin ServiceAccount, which
    would refuse all pods, is not among them.
    """
    return tuple(name for name in DEFAULT_PLUGINS if have_accounts or name != SERVICE_ACCOUNT_PLUGIN)


def selected_plugins(enable: str, disable: str, *, have_accounts: bool) -> tuple[str, ...]:
    """Return the names of the plugins to run: the default plugins and those in `enable`, except those in `disable`.

    `enable` and `disable` are comma-separated names; `have_accounts` is as for `default_plugins`. Raises ValueError,
    with kube-apiserver's message, if a name is unknown, if it is both enabled and disabled, or if the plugin is not
    available in this server.
    """
    enabled, disabled = _split_names(enable), _split_names(disable)
    errors = [*_unknown("enable-admission-plugins", enabled), *_unknown("disable-admission-plugins", disabled)]
    both = sorted({*enabled} & {*disabled})
    if both:
        errors.append(f"[{' '.join(both)}] in enable-admission-plugins and disable-admission-plugins overlapped")
    errors = errors or [_ABSENT[name].why for name in enabled if name in _ABSENT]
    if errors:
        distinct = list(dict.fromkeys(errors))
        raise ValueError(distinct[0] if len(distinct) == 1 else f"[{', '.join(distinct)}]")
    chosen = ({*default_plugins(have_accounts=have_accounts)} | {*enabled}) - {*disabled}
    return tuple(name for name in PLUGINS if name in chosen)


def warns_about(resources: Collection[tuple[str, str]]) -> Registration:
    """Return a plugin that warns a client if nothing acts on a new object, because its controller does not run.

    `resources` are pairs of group and plural of such objects. The plugin cannot be enabled or disabled by name, because
    kube-apiserver does not have it.
    """
    return _registered("AbsentControllers", "absent_controllers:AbsentControllers", frozenset(resources), _CREATIONS)


def _unknown(option: str, names: Collection[str]) -> list[str]:
    return [f'{option} plugin "{name}" is unknown' for name in names if name not in PLUGINS and name not in _ABSENT]


def _split_names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]
