"""The objects of the bootstrap policy, in the order in which kube-apiserver creates them (``registry/rbac/rest``)."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from memkube.apimachinery.model import Document
from memkube.auth.authorization.bootstrap_policy.cluster_roles import AGGREGATED, CLUSTER_ROLES, LABELS
from memkube.auth.authorization.bootstrap_policy.controller_roles import CONTROLLER_ROLES
from memkube.auth.authorization.bootstrap_policy.namespace_roles import NAMESPACE_BINDINGS, NAMESPACE_ROLES
from memkube.auth.authorization.bootstrap_policy.reconciliation import AUTO_UPDATE
from memkube.registry.declarations.request_options import AUTHENTICATED, SERVICE_ACCOUNTS, UNAUTHENTICATED

GROUP: Final = "rbac.authorization.k8s.io"
_LABEL: Final = "kubernetes.io/bootstrapping"
_CONTROLLER: Final = "system:controller:"
_USER: Final = "User"
_USERS: Final = "Group"
_ACCOUNT: Final = "ServiceAccount"
_CLUSTER_BINDINGS: Final[Mapping[str, Sequence[tuple[str, str]]]] = {
    "cluster-admin": ((_USERS, "system:masters"),),
    "system:monitoring": ((_USERS, "system:monitoring"),),
    "system:discovery": ((_USERS, AUTHENTICATED),),
    "system:basic-user": ((_USERS, AUTHENTICATED),),
    "system:public-info-viewer": ((_USERS, AUTHENTICATED), (_USERS, UNAUTHENTICATED)),
    "system:node-proxier": ((_USER, "system:kube-proxy"),),
    "system:kube-controller-manager": ((_USER, "system:kube-controller-manager"),),
    "system:kube-dns": ((_ACCOUNT, "kube-dns"),),
    "system:kube-scheduler": ((_USER, "system:kube-scheduler"),),
    "system:volume-scheduler": ((_USER, "system:kube-scheduler"),),
    # kube-apiserver creates system:node without subjects, because the Node authorizer grants the rights of nodes.
    "system:node": (),
    "system:service-account-issuer-discovery": ((_USERS, SERVICE_ACCOUNTS),),
}
"""Subjects of ClusterRoleBindings, by the name of the binding and its ClusterRole."""


def cluster_roles() -> Iterator[Document]:
    """Yield the ClusterRoles of the bootstrap policy."""
    for name, rules in CLUSTER_ROLES.items():
        label = LABELS.get(name)
        role = {"metadata": _metadata(name, labels={} if label is None else {label: "true"})}
        if name in AGGREGATED:
            selector = {"matchLabels": {AGGREGATED[name]: "true"}}
            yield {**role, "rules": None, "aggregationRule": {"clusterRoleSelectors": [selector]}}
        else:
            yield {**role, "rules": list(rules)}
    for name, rules in CONTROLLER_ROLES.items():
        yield {"metadata": _metadata(_CONTROLLER + name), "rules": list(rules)}


def cluster_role_bindings() -> Iterator[Document]:
    """Yield the ClusterRoleBindings that kube-apiserver creates at startup."""
    for name, subjects in _CLUSTER_BINDINGS.items():
        yield _binding(_metadata(name), "ClusterRole", name, subjects)
    for name in CONTROLLER_ROLES:
        role = _CONTROLLER + name
        yield _binding(_metadata(role), "ClusterRole", role, ((_ACCOUNT, name),))


def roles() -> Iterator[Document]:
    """Yield the Roles of the bootstrap policy, which are in system namespaces."""
    for (namespace, name), rules in NAMESPACE_ROLES.items():
        yield {"metadata": _metadata(name, namespace), "rules": list(rules)}


def role_bindings() -> Iterator[Document]:
    """Yield the RoleBindings of the bootstrap policy, which are in system namespaces."""
    for (namespace, name), grant in NAMESPACE_BINDINGS.items():
        subjects = [*((_USER, user) for user in grant.users), *((_ACCOUNT, account) for account in grant.accounts)]
        yield _binding(_metadata(name, namespace), "Role", grant.role, subjects)


def _metadata(name: str, namespace: str = "", labels: Mapping[str, str] | None = None) -> Document:
    placed = {"name": name, "namespace": namespace} if namespace else {"name": name}
    return {
        **placed,
        "labels": {_LABEL: "rbac-defaults", **(labels or {})},
        "annotations": {AUTO_UPDATE: "true"},
    }


def _binding(metadata: Document, kind: str, role: str, subjects: Sequence[tuple[str, str]]) -> Document:
    binding: Document = {"metadata": metadata}
    if subjects:
        binding["subjects"] = [_subject(*subject) for subject in subjects]
    return {**binding, "roleRef": {"apiGroup": GROUP, "kind": kind, "name": role}}


def _subject(kind: str, name: str) -> Document:
    if kind == _ACCOUNT:
        return {"kind": kind, "name": name, "namespace": "kube-system"}
    return {"kind": kind, "apiGroup": GROUP, "name": name}
