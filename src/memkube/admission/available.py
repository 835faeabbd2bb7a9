"""The admission plugins that there are, in the order in which they run, and which of them do."""

from collections.abc import Callable
from typing import Final

from memkube.admission.chain import Plugin
from memkube.admission.default_toleration_seconds import DefaultTolerationSeconds
from memkube.admission.namespace_lifecycle import NamespaceLifecycle
from memkube.admission.pod_preset import PodPresetPlugin
from memkube.admission.pod_topology_labels import PodTopologyLabels
from memkube.admission.priority import Priority
from memkube.admission.runtime_class import RuntimeClass
from memkube.admission.service_account import ServiceAccountPlugin
from memkube.admission.taint_nodes_by_condition import TaintNodesByCondition
from memkube.registry.registry import Registry

PLUGINS: Final[dict[str, Callable[[Registry], Plugin]]] = {
    plugin.name: plugin
    for plugin in (
        NamespaceLifecycle,
        PodPresetPlugin,
        ServiceAccountPlugin,
        TaintNodesByCondition,
        Priority,
        DefaultTolerationSeconds,
        RuntimeClass,
        PodTopologyLabels,
    )
}
"""By name. Source of the order: ``pkg/kubeapiserver/options/plugins.go``."""
_OFF: Final = (PodPresetPlugin.name, ServiceAccountPlugin.name)
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
