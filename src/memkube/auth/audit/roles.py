"""Creates roles, and bindings of these roles, that give one user certain rights."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, NamedTuple

from memkube.apimachinery.model import Document
from memkube.auth.audit.rules import fewest_rules
from memkube.registry.declarations.authorization import RBAC_GROUP
from memkube.registry.declarations.request_options import ANONYMOUS, Right
from memkube.registry.declarations.service_account_users import account_of

_NO_PART_OF_NAMES: Final = str.maketrans("/%", "--")
_VERSION: Final = f"{RBAC_GROUP}/v1"


class RoleForm(NamedTuple):
    """Options for the roles that an audit creates: their name, their subject, and the scope of their rules."""

    name: str = ""
    """Name of the roles and bindings; by default the last part of the user's name."""
    subject: str = ""
    """User or service account to which the roles are bound; by default the user of the requests."""
    names: bool = False
    """True to limit rules to the names of the objects in the requests (resourceNames)."""
    cluster_wide: bool = False
    """True to give all rights by one ClusterRole, in all namespaces."""


@dataclass(frozen=True, slots=True)
class UserAudit:
    """The requests of one user in an audit, and the roles that these requests need."""

    user: str
    requests: int
    """Number of the user's audited requests."""
    refused: int
    """Number of the audited requests that were refused because the user lacks a right."""
    roles: list[Document]
    """Roles, ClusterRoles and their bindings for the user, in an order in which they can be created."""


def roles_for(user: str, rights: Iterable[Right], form: RoleForm) -> list[Document]:
    """Return the roles that give `rights` to a user with as few rules as possible, and bindings of these roles.

    Rights on cluster-scoped resources, on URL paths and in all namespaces are in one ClusterRole; rights in a single
    namespace are in a Role in that namespace. `form` has the name and the subject of the roles, and says whether rules
    are limited to object names, and whether all rights are in the ClusterRole. Roles for the anonymous user have no
    bindings, unless `form` names another subject.
    """
    subject = form.subject or user
    name = (form.name or subject.rpartition(":")[2]).translate(_NO_PART_OF_NAMES)
    by_namespace: dict[str, list[Right]] = {}
    for right in rights:
        by_namespace.setdefault("" if form.cluster_wide else right.namespace, []).append(right)
    documents: list[Document] = []
    for namespace in sorted(by_namespace):
        kind = "Role" if namespace else "ClusterRole"
        metadata = {"name": name, "namespace": namespace} if namespace else {"name": name}
        rules = fewest_rules(by_namespace[namespace], names=form.names)
        documents.append({"apiVersion": _VERSION, "kind": kind, "metadata": metadata, "rules": rules})
        if subject != ANONYMOUS:
            documents.append(_binding(kind, metadata, subject))
    return documents


def _binding(kind: str, metadata: Document, subject: str) -> Document:
    return {
        "apiVersion": _VERSION,
        "kind": f"{kind}Binding",
        "metadata": dict(metadata),
        "roleRef": {"apiGroup": RBAC_GROUP, "kind": kind, "name": metadata["name"]},
        "subjects": [_subject(subject)],
    }


def _subject(name: str) -> Document:
    account = account_of(name)
    if account is None:
        return {"apiGroup": RBAC_GROUP, "kind": "User", "name": name}
    return {"kind": "ServiceAccount", "name": account[1], "namespace": account[0]}
