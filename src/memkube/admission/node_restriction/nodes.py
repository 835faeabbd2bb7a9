"""Rules for Nodes: a kubelet may not set labels or taints that attract pods to its node."""

from collections.abc import Mapping
from typing import Final

from memkube.apimachinery.shown_values import quoted
from memkube.apis.core.v1.nodes.types import Node
from memkube.registry.declarations.admission import Attributes, refused

_RESTRICTED: Final = "node-restriction.kubernetes.io"
_DOMAINS: Final = ("kubernetes.io", "k8s.io")
_KUBELET_DOMAINS: Final = ("kubelet.kubernetes.io", "node.kubernetes.io")
_KUBELET_LABELS: Final = frozenset(
    {
        "beta.kubernetes.io/arch",
        "beta.kubernetes.io/instance-type",
        "beta.kubernetes.io/os",
        "failure-domain.beta.kubernetes.io/region",
        "failure-domain.beta.kubernetes.io/zone",
        "kubernetes.io/arch",
        "kubernetes.io/hostname",
        "kubernetes.io/os",
        "node.kubernetes.io/instance-type",
        "topology.kubernetes.io/region",
        "topology.kubernetes.io/zone",
    }
)


async def check_node(node: str, attributes: Attributes) -> None:
    """Raise ApiError (403) if a kubelet writes to another Node, or makes a forbidden change to its own Node."""
    if attributes.name != node:
        raise refused(attributes, f"node {quoted(node)} is not allowed to modify node {quoted(attributes.name)}")
    new, old = attributes.new, attributes.old
    if not isinstance(new, Node):
        return
    if not isinstance(old, Node):
        if new.spec.configSource is not None:
            why = f"node {quoted(node)} is not allowed to create pods with a non-nil configSource"
            raise refused(attributes, why)
        labels = _forbidden_labels(new.metadata.labels, {})
        if labels:
            why = f"node {quoted(node)} is not allowed to set the following labels: {', '.join(labels)}"
            raise refused(attributes, why)
        return
    _check_update(node, attributes, new, old)


def _check_update(node: str, attributes: Attributes, new: Node, old: Node) -> None:
    if new.spec.configSource is not None and new.spec.configSource != old.spec.configSource:
        why = f"node {quoted(node)} is not allowed to update configSource to a new non-nil configSource"
        raise refused(attributes, why)
    if new.spec.taints != old.spec.taints:
        raise refused(attributes, f"node {quoted(node)} is not allowed to modify taints")
    if new.metadata.ownerReferences != old.metadata.ownerReferences:
        raise refused(attributes, f"node {quoted(node)} is not allowed to modify ownerReferences")
    labels = _forbidden_labels(new.metadata.labels, old.metadata.labels)
    if labels:
        raise refused(attributes, f"is not allowed to modify labels: {', '.join(labels)}")


def _forbidden_labels(new: Mapping[str, str], old: Mapping[str, str]) -> list[str]:
    changed = {key for key in {**new, **old} if new.get(key) != old.get(key)}
    return sorted(key for key in changed if _is_forbidden(key))


def _is_forbidden(key: str) -> bool:
    """True if a kubelet may not set the label, because its domain is reserved for Kubernetes."""
    domain = key.partition("/")[0] if "/" in key else ""
    if _is_within(domain, (_RESTRICTED,)):
        return True
    allowed = key in _KUBELET_LABELS or _is_within(domain, _KUBELET_DOMAINS)
    return _is_within(domain, _DOMAINS) and not allowed


def _is_within(domain: str, others: tuple[str, ...]) -> bool:
    return any(domain == other or domain.endswith(f".{other}") for other in others)
