"""Evaluates the ingress rules of a cluster's NetworkPolicies. No traffic is simulated.

Egress rules are ignored. An ``ipBlock``, a named port or a port range in a rule matches no traffic.
"""

from collections.abc import Mapping
from typing import Any

from pydantic import Field

from memkube.apimachinery.labels.selector import from_model
from memkube.apimachinery.meta.v1.selectors import LabelSelector
from memkube.apimachinery.model import Document
from memkube.apimachinery.strict_model import StrictModel
from memkube.cluster.synchronous import Memkube


class Peer(StrictModel):
    """Pods that send or receive traffic, selected by their namespace and labels."""

    namespace: str
    labels: dict[str, str]


class Traffic(StrictModel):
    """A condition: the NetworkPolicies let the pods `from` send to a port of the pods `to`.

    If `allowed` is False, the condition is that they deny it.
    """

    source: Peer = Field(alias="from")
    target: Peer = Field(alias="to")
    port: int
    allowed: bool

    def failure(self, kube: Memkube) -> str:
        """Return a text that says why the condition is not met in the cluster `kube`; empty if it is met."""
        namespaces = {n["metadata"]["name"]: n["metadata"].get("labels", {}) for n in kube.objects("namespaces")}
        policies = [
            policy["spec"]
            for policy in kube.objects("networkpolicies", self.target.namespace)
            if "Ingress" in policy["spec"].get("policyTypes", ["Ingress"])
            and selects(policy["spec"].get("podSelector", {}), self.target.labels)
        ]
        rules = [rule for spec in policies for rule in spec.get("ingress") or ()]
        source_namespace = namespaces.get(self.source.namespace, {})
        is_allowed = not policies or any(self._is_allowed_by(rule, source_namespace) for rule in rules)
        if is_allowed is self.allowed:
            return ""
        which = f"from {self.source.labels} in {self.source.namespace} to port {self.port} of {self.target.labels}"
        return f"the policies {'allow' if is_allowed else 'do not allow'} traffic {which}"

    def _is_allowed_by(self, rule: Document, source_namespace: Mapping[str, str]) -> bool:
        ports, peers = rule.get("ports") or (), rule.get("from") or ()
        return (not ports or any(self._is_port(port) for port in ports)) and (
            not peers or any(self._is_peer(peer, source_namespace) for peer in peers)
        )

    def _is_port(self, port: Document) -> bool:
        if port.get("protocol", "TCP") != "TCP" or "endPort" in port:
            return False
        return "port" not in port or port["port"] == self.port

    def _is_peer(self, peer: Document, source_namespace: Mapping[str, str]) -> bool:
        if "ipBlock" in peer:
            return False
        namespaces, pods = peer.get("namespaceSelector"), peer.get("podSelector")
        if namespaces is None and self.source.namespace != self.target.namespace:
            return False
        return (namespaces is None or selects(namespaces, source_namespace)) and (
            pods is None or selects(pods, self.source.labels)
        )


def selects(selector: Mapping[str, Any], labels: Mapping[str, str]) -> bool:
    """Return True if the LabelSelector `selector`, as JSON data, selects an object with `labels`."""
    return from_model(LabelSelector.from_document(dict(selector))).matches(labels)
