"""Decides which requests kubelets may make (``node_authorizer.go``).

A kubelet is a user ``system:node:NAME`` in the group ``system:nodes``. It may read the objects that the pods on its
node need. The admission plugin NodeRestriction limits what it may write.
"""

from collections.abc import Callable
from typing import Final

from memkube.apimachinery.shown_values import quoted
from memkube.auth.authorization.bootstrap_policy.cluster_roles import CLUSTER_ROLES
from memkube.auth.authorization.interface import Attributes, Decision, LocalAuthorizer, UserRules, Verdict
from memkube.auth.authorization.node.graph import NodeGraph
from memkube.auth.authorization.node.references import (
    ACCOUNT,
    ATTACHMENT,
    CONFIG_MAP,
    POD,
    RESOURCE_CLAIM,
    SECRET,
    SLICE,
    VOLUME,
    VOLUME_CLAIM,
    Vertex,
)
from memkube.auth.authorization.rbac.matching import allows, rule_of
from memkube.registry.declarations.request_options import NODES, User

_PREFIX: Final = "system:node:"
_LEASES: Final = "kube-node-lease"
_OWN: Final = ("get", "create", "update", "patch", "delete")
_READ: Final = ("get", "list", "watch")
_ALLOWED: Final = Decision(Verdict.ALLOW)
_NO_RULES: Final = "node authorizer does not support user rule resolution"


class NodeAuthorizer(LocalAuthorizer):
    """Allows requests of kubelets for their own nodes, and has no opinion on requests of other users."""

    def __init__(self, graph: NodeGraph) -> None:
        self._graph = graph
        self._rules = [rule_of(rule) for rule in CLUSTER_ROLES["system:node"]]
        self._by_resource: dict[tuple[str, str], Callable[[str, Attributes], Decision]] = {
            ("", SECRET): self._of_namespaced,
            ("", CONFIG_MAP): self._of_namespaced,
            ("", VOLUME_CLAIM): self._of_volume_claim,
            ("", VOLUME): self._of_gettable,
            ("resource.k8s.io", RESOURCE_CLAIM): self._of_gettable,
            ("storage.k8s.io", ATTACHMENT): self._of_gettable,
            ("", ACCOUNT): self._of_account,
            ("coordination.k8s.io", "leases"): _of_lease,
            ("storage.k8s.io", "csinodes"): _of_csi_node,
            ("resource.k8s.io", SLICE): self._of_slice,
            ("", "nodes"): _of_node,
            ("", POD): self._of_pod,
            # Always refused: in kube-apiserver, kubelets may access PodCertificateRequests only with a feature gate
            # that is off by default.
            ("certificates.k8s.io", "podcertificaterequests"): lambda _node, _attributes: _refused(""),
        }

    async def catch_up(self) -> None:
        await self._graph.catch_up()

    def authorize(self, attributes: Attributes) -> Decision:
        user = attributes.user
        if not _is_node(user):
            return _refused("")
        node = user.name.removeprefix(_PREFIX)
        if not node:
            return _refused(f"unknown node for user {quoted(user.name)}")
        decide = self._by_resource.get((attributes.group, attributes.resource)) if attributes.is_resource else None
        if decide is not None:
            return decide(node, attributes)
        return _ALLOWED if any(allows(rule, attributes) for rule in self._rules) else _refused("")

    def rules_for(self, user: User, namespace: str) -> UserRules:
        return UserRules((), incomplete=True, error=_NO_RULES) if _is_node(user) else UserRules(())

    def _related(self, node: str, attributes: Attributes) -> Decision:
        if not attributes.name:
            return _refused("No Object name found")
        return self._related_to(node, attributes)

    def _related_to(self, node: str, attributes: Attributes) -> Decision:
        vertex = Vertex(attributes.resource, attributes.namespace, attributes.name)
        if self._graph.is_related(vertex, node):
            return _ALLOWED
        return _refused(f"no relationship found between node '{node}' and this object")

    def _of_namespaced(self, node: str, attributes: Attributes) -> Decision:
        if attributes.verb not in _READ:
            return _refused("can only read resources of this type")
        if attributes.subresource:
            return _refused("cannot read subresource")
        if not attributes.namespace:
            return _refused("can only read namespaced object of this type")
        return self._related(node, attributes)

    def _of_gettable(self, node: str, attributes: Attributes) -> Decision:
        if attributes.verb != "get":
            return _refused("can only get individual resources of this type")
        if attributes.subresource:
            return _refused("cannot get subresource")
        return self._related(node, attributes)

    def _of_volume_claim(self, node: str, attributes: Attributes) -> Decision:
        if attributes.subresource != "status":
            return self._of_gettable(node, attributes)
        if attributes.verb not in ("update", "patch"):
            return _refused("can only get/update/patch this type")
        return self._related(node, attributes)

    def _of_account(self, node: str, attributes: Attributes) -> Decision:
        if attributes.verb == "get" and not attributes.subresource:
            return self._of_namespaced(node, attributes)
        if attributes.verb != "create" or not attributes.name:
            return _refused("can only create tokens for individual service accounts")
        if attributes.subresource != "token":
            return _refused("can only create token subresource of serviceaccount")
        return self._related_to(node, attributes)

    def _of_slice(self, node: str, attributes: Attributes) -> Decision:
        if attributes.subresource:
            return _refused("cannot authorize ResourceSlice subresources")
        match attributes.verb:
            case "create":
                return _ALLOWED
            case "get" | "update" | "patch" | "delete":
                return self._related(node, attributes)
            case "watch" | "list" | "deletecollection":
                if _selects(attributes, "spec.nodeName", node):
                    return _ALLOWED
                return _refused("can only list/watch/deletecollection resourceslices with nodeName field selector")
        verbs = "get, watch, list, create, update, patch, delete, deletecollection"
        return _refused(f"only the following verbs are allowed for a ResourceSlice: {verbs}")

    def _of_pod(self, node: str, attributes: Attributes) -> Decision:
        match attributes.subresource, attributes.verb:
            case "", "get":
                return self._of_gettable(node, attributes)
            case "", "list" | "watch":
                if _selects(attributes, "spec.nodeName", node):
                    return _ALLOWED
                if attributes.name:
                    return self._related(node, attributes)
                return _refused("can only list/watch pods with spec.nodeName field selector")
            case ("", "create" | "delete") | ("status", "update" | "patch") | ("eviction", "create"):
                return _ALLOWED
        return _refused("")


def _is_node(user: User) -> bool:
    return user.name.startswith(_PREFIX) and NODES in user.groups


def _refused(reason: str) -> Decision:
    return Decision(Verdict.NO_OPINION, reason)


def _selects(attributes: Attributes, field: str, node: str) -> bool:
    """True if a field selector limits the request to the objects of the node.

    `field` is the field with the node's name.
    """
    selector = attributes.field_selector
    requirements = () if selector is None else selector.requirements
    return any((one.field, one.operator, one.value) == (field, "=", node) for one in requirements)


def _of_lease(node: str, attributes: Attributes) -> Decision:
    if attributes.verb not in _OWN:
        return _refused("can only get, create, update, patch, or delete a node lease")
    if attributes.namespace != _LEASES:
        return _refused(f"can only access leases in the {quoted(_LEASES)} system namespace")
    if attributes.verb != "create" and attributes.name != node:
        return _refused("can only access node lease with the same name as the requesting node")
    return _ALLOWED


def _of_csi_node(node: str, attributes: Attributes) -> Decision:
    if attributes.verb not in _OWN:
        return _refused("can only get, create, update, patch, or delete a CSINode")
    if attributes.subresource:
        return _refused("cannot authorize CSINode subresources")
    if attributes.verb != "create" and attributes.name != node:
        return _refused("can only access CSINode with the same name as the requesting node")
    return _ALLOWED


def _of_node(node: str, attributes: Attributes) -> Decision:
    match attributes.subresource, attributes.verb:
        case ("", "create" | "update" | "patch") | ("status", "update" | "patch"):
            return _ALLOWED
        case "", "get" | "list" | "watch":
            if attributes.name == node:
                return _ALLOWED
            what = f"'{attributes.name}'" if attributes.name else "all nodes"
            return _refused(f"node '{node}' cannot read {what}, only its own Node object")
    return _refused("")
