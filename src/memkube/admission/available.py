"""The admission plugins that there are, in the order in which they run, and which of them do."""

from typing import Final

from memkube.admission.chain import Registration
from memkube.registry.lazy import Lazy

_PODS: Final = frozenset({("", "pods")})
_CLAIMS: Final = frozenset({("", "persistentvolumeclaims")})
_NODES: Final = frozenset({("", "nodes")})


def _registered(name: str, path: str, resources: frozenset[tuple[str, str]] | None = None) -> Registration:
    return Registration(name, Lazy(f"memkube.admission.{path}"), resources)


PLUGINS: Final[dict[str, Registration]] = {
    registration.name: registration
    for registration in (
        _registered("NamespaceLifecycle", "namespace_lifecycle:NamespaceLifecycle"),
        _registered("PodPreset", "pod_preset:PodPresetPlugin", _PODS),
        _registered("LimitRanger", "limit_ranger:LimitRanger", _PODS | _CLAIMS),
        _registered("ServiceAccount", "service_account:ServiceAccountPlugin", _PODS),
        _registered("TaintNodesByCondition", "taint_nodes_by_condition:TaintNodesByCondition", _NODES),
        _registered("Priority", "priority:Priority", _PODS),
        _registered("DefaultTolerationSeconds", "default_toleration_seconds:DefaultTolerationSeconds", _PODS),
        _registered("RuntimeClass", "runtime_class:RuntimeClass", _PODS),
        _registered("PodTopologyLabels", "pod_topology_labels:PodTopologyLabels", _PODS),
        _registered("ResourceQuota", "resource_quota.plugin:ResourceQuotaPlugin"),
    )
}
"""By name. Source of the order: ``pkg/kubeapiserver/options/plugins.go``."""
_OFF: Final = ("PodPreset", "ServiceAccount")
DEFAULT_PLUGINS: Final = tuple(name for name in PLUGINS if name not in _OFF)


def selected_plugins(enable: str, disable: str) -> tuple[str, ...]:
    """The default plugins with some added and some left out, as names with commas between them. Raises ValueError."""
    enabled, disabled = (_names(text) for text in (enable, disable))
    for option, names in (("enable-admission-plugins", enabled), ("disable-admission-plugins", disabled)):
        for name in names:
            if name not in PLUGINS:
                raise ValueError(f'{option} plugin "{name}" is unknown; there are {", ".join(PLUGINS)}')
    both = enabled & disabled
    if both:
        names_of_both = " ".join(sorted(both))
        raise ValueError(f"[{names_of_both}] in enable-admission-plugins and disable-admission-plugins overlapped")
    chosen = (set(DEFAULT_PLUGINS) | enabled) - disabled
    return tuple(name for name in PLUGINS if name in chosen)


def _names(text: str) -> set[str]:
    return {name.strip() for name in text.split(",") if name.strip()}
