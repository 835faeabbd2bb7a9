"""The nodes on which the pods of a DaemonSet run, and the pods' tolerations (``util/daemonset_util.go``)."""

from typing import Any, Final, NamedTuple

from memkube.apimachinery.model import Document
from memkube.controllers.framework.pods_by_node import node_of
from memkube.controllers.scheduler.node_info import taints_of
from memkube.controllers.scheduler.plugins.node_affinity import RequiredNodeAffinity
from memkube.controllers.scheduler.plugins.taints import tolerates
from memkube.registry.objects.stored import StoredObject

_NAME: Final = "metadata.name"
_REQUIRED: Final = "requiredDuringSchedulingIgnoredDuringExecution"
_ADDED: Final = (
    ("not-ready", "NoExecute"),
    ("unreachable", "NoExecute"),
    ("disk-pressure", "NoSchedule"),
    ("memory-pressure", "NoSchedule"),
    ("pid-pressure", "NoSchedule"),
    ("unschedulable", "NoSchedule"),
)
_ADDED_ON_HOST_NETWORK: Final = (*_ADDED, ("network-unavailable", "NoSchedule"))


class Decision(NamedTuple):
    """Decision about one node: whether the DaemonSet controller creates a pod there, and keeps an existing pod."""

    runs: bool
    """True if a pod of the DaemonSet should be created on the node."""
    continues: bool
    """True if an existing pod of the DaemonSet should stay on the node."""


_STAYS_AWAY: Final = Decision(runs=False, continues=False)


class Placement:
    """Decides on which nodes the pods of a DaemonSet run (``NodeShouldRunDaemonPod``)."""

    def __init__(self, daemon_set: Document) -> None:
        spec = daemon_set["spec"]["template"]["spec"]
        self._node: str = spec.get("nodeName", "")
        self._affinity = RequiredNodeAffinity(spec)
        self._tolerations = daemon_tolerations(spec)

    def on(self, node: StoredObject) -> Decision:
        """Decide whether to create a pod of the DaemonSet on the node, and whether to keep an existing one."""
        if self._node not in ("", node.name) or not self._affinity.matches(node.name, node.labels):
            return _STAYS_AWAY
        effects = {t.effect for t in taints_of(node.document) if not tolerates(self._tolerations, t)}
        return Decision(effects.isdisjoint({"NoExecute", "NoSchedule"}), "NoExecute" not in effects)


def daemon_tolerations(spec: Document) -> list[Document]:
    """Return the tolerations of a pod template, plus those that the DaemonSet controller adds to all pods.

    A toleration of the template that equals one of the added ones loses its ``tolerationSeconds``.
    """
    tolerations: list[Document] = list(spec.get("tolerations") or ())
    for name, effect in _ADDED_ON_HOST_NETWORK if spec.get("hostNetwork") else _ADDED:
        added = {"key": f"node.kubernetes.io/{name}", "operator": "Exists", "effect": effect}
        same = [index for index, toleration in enumerate(tolerations) if _without_seconds(toleration) == added]
        for index in same:
            tolerations[index] = added
        if not same:
            tolerations.append(added)
    return tolerations


def _without_seconds(toleration: Document) -> Document:
    return {name: value for name, value in toleration.items() if name != "tolerationSeconds"}


def for_node(template: Document, node: str) -> Document:
    """Return a copy of a pod template whose required node affinity selects only the node with the name `node`."""
    affinity: dict[str, Any] = template["spec"].get("affinity") or {}
    required = {"nodeSelectorTerms": [{"matchFields": [{"key": _NAME, "operator": "In", "values": [node]}]}]}
    node_affinity = {**(affinity.get("nodeAffinity") or {}), _REQUIRED: required}
    return {**template, "spec": {**template["spec"], "affinity": {**affinity, "nodeAffinity": node_affinity}}}


def target_node(pod: StoredObject) -> str:
    """Return the name of the node that a pod is bound to or that its affinity requires; empty if it has neither."""
    if node := node_of(pod):
        return node
    affinity: dict[str, Any] = (pod.document["spec"].get("affinity") or {}).get("nodeAffinity") or {}
    terms: list[dict[str, Any]] = (affinity.get(_REQUIRED) or {}).get("nodeSelectorTerms") or []
    for field in (field for term in terms for field in term.get("matchFields") or ()):
        if field["key"] == _NAME and field["operator"] == "In":
            names: list[str] = field.get("values") or []
            return names[0] if len(names) == 1 else ""
    return ""
