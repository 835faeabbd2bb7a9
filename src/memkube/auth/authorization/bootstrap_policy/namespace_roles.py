"""Roles and RoleBindings that the server creates in system namespaces (``bootstrappolicy/namespace_policy.go``)."""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from memkube.apimachinery.model import Document
from memkube.auth.authorization.bootstrap_policy.rules import EVENTS, READ, rule

_SYSTEM: Final = "kube-system"
_PUBLIC: Final = "kube-public"
_LOCK: Final = "create get list update watch"
_LEADER_LOCK: Final = (
    rule(_LOCK, "coordination.k8s.io", "leases"),
    rule(_LOCK, "coordination.k8s.io", "leasecandidates"),
)

NAMESPACE_ROLES: Final[Mapping[tuple[str, str], Sequence[Document]]] = {
    (_PUBLIC, "system:controller:bootstrap-signer"): (
        rule(READ, "core", "configmaps"),
        rule("update", "core", "configmaps", names="cluster-info"),
        EVENTS,
    ),
    (_SYSTEM, "extension-apiserver-authentication-reader"): (
        rule(READ, "core", "configmaps", names="extension-apiserver-authentication"),
    ),
    (_SYSTEM, "system:controller:bootstrap-signer"): (rule(READ, "core", "secrets"),),
    (_SYSTEM, "system:controller:cloud-provider"): (rule(f"create {READ}", "core", "configmaps"),),
    (_SYSTEM, "system:controller:token-cleaner"): (rule(f"delete {READ}", "core", "secrets"), EVENTS),
    (_SYSTEM, "system::leader-locking-kube-controller-manager"): _LEADER_LOCK,
    (_SYSTEM, "system::leader-locking-kube-scheduler"): _LEADER_LOCK,
}
"""Rules of each Role, by its namespace and name."""


class RoleGrant(NamedTuple):
    """A RoleBinding, which grants the Role called `role`, in the same namespace, to users and ServiceAccounts."""

    role: str
    users: Sequence[str] = ()
    accounts: Sequence[str] = ()
    """Names of ServiceAccounts in ``kube-system``."""


NAMESPACE_BINDINGS: Final[Mapping[tuple[str, str], RoleGrant]] = {
    (_PUBLIC, "system:controller:bootstrap-signer"): RoleGrant(
        "system:controller:bootstrap-signer", accounts=("bootstrap-signer",)
    ),
    (_SYSTEM, "system::extension-apiserver-authentication-reader"): RoleGrant(
        "extension-apiserver-authentication-reader", ("system:kube-controller-manager", "system:kube-scheduler")
    ),
    (_SYSTEM, "system::leader-locking-kube-controller-manager"): RoleGrant(
        "system::leader-locking-kube-controller-manager",
        ("system:kube-controller-manager",),
        ("kube-controller-manager", "leader-election-controller"),
    ),
    (_SYSTEM, "system::leader-locking-kube-scheduler"): RoleGrant(
        "system::leader-locking-kube-scheduler", ("system:kube-scheduler",), ("kube-scheduler",)
    ),
    (_SYSTEM, "system:controller:bootstrap-signer"): RoleGrant(
        "system:controller:bootstrap-signer", accounts=("bootstrap-signer",)
    ),
    (_SYSTEM, "system:controller:cloud-provider"): RoleGrant(
        "system:controller:cloud-provider", accounts=("cloud-provider",)
    ),
    (_SYSTEM, "system:controller:token-cleaner"): RoleGrant(
        "system:controller:token-cleaner", accounts=("token-cleaner",)
    ),
}
"""RoleBindings by their namespaces and names."""
