"""The stored roles and bindings, and the rules that they give to a user (``pkg/registry/rbac/validation/rule.go``)."""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from memkube.apimachinery.errors import GroupResource, not_found
from memkube.apimachinery.model import Document
from memkube.apimachinery.shown_values import quoted
from memkube.auth.authorization.interface import Rule
from memkube.auth.authorization.rbac.matching import first_subject, rule_of
from memkube.registry.declarations.request_options import User
from memkube.registry.objects.stored import StoredObject
from memkube.registry.registry import Registry
from memkube.registry.store import Store

GROUP: Final = "rbac.authorization.k8s.io"
_KINDS: Final = ("clusterrolebindings", "rolebindings", "clusterroles", "roles")


class MissingRole(NamedTuple):
    """A role to which a binding refers, but which does not exist."""

    kind: str
    name: str

    def message(self, plural: str = "") -> str:
        """Return an error message that names the missing role.

        `plural` is the resource in the message; by default, it is the resource of the missing role.
        """
        return not_found(GroupResource(GROUP, plural or self.kind.lower()), self.name).message


class Grant(NamedTuple):
    """The rules that one binding gives to a user; if its role does not exist, the missing role."""

    binding: StoredObject
    subject: Document
    rules: Sequence[Rule]
    missing: MissingRole | None = None

    def __str__(self) -> str:
        """Describe the binding and its role, as the reason why a request is allowed."""
        name, namespace = self.binding.name, self.binding.namespace
        bound = f"{name}/{namespace}" if namespace else name
        kind = "RoleBinding" if namespace else "ClusterRoleBinding"
        role = self.binding.document["roleRef"]
        return f"{kind} {quoted(bound)} of {role['kind']} {quoted(role['name'])} to {self._subject(namespace)}"

    def _subject(self, namespace: str) -> str:
        kind, name = self.subject["kind"], self.subject["name"]
        if kind == "ServiceAccount":
            name = f"{name}/{self.subject.get('namespace') or namespace}"
        return f"{kind} {quoted(name)}"


class Policy:
    """All roles and bindings, as of the last call of :meth:`catch_up`."""

    def __init__(self, registry: Registry) -> None:
        self._stores: Sequence[Store] = [registry.find(GROUP, "v1", plural) for plural in _KINDS]
        self._seen: list[Sequence[StoredObject] | None] = [None] * len(_KINDS)
        self._revision = -1
        self._cluster_bindings: Sequence[StoredObject] = ()
        self._bindings: dict[str, list[StoredObject]] = {}
        self._rules: dict[tuple[str, str], Sequence[Rule]] = {}
        """Rules of each role by namespace and name; the namespace of a ClusterRole is empty."""

    async def catch_up(self) -> bool:
        """Read the roles and bindings that have changed since the last call. Returns True if there are any."""
        revision = self._stores[0].seen_revision
        if revision == self._revision:
            return False
        found = [await store.all_seen() for store in self._stores]
        self._revision = revision
        if all(new is old for new, old in zip(found, self._seen, strict=True)):
            return False
        self._seen = list(found)
        cluster_bindings, bindings, cluster_roles, roles = found
        self._cluster_bindings = cluster_bindings
        self._bindings = {}
        for binding in bindings:
            self._bindings.setdefault(binding.namespace, []).append(binding)
        self._rules = {
            (role.namespace, role.name): [rule_of(rule) for rule in role.document.get("rules") or ()]
            for role in (*cluster_roles, *roles)
        }
        return True

    def grants(self, user: User, namespace: str) -> Iterator[Grant]:
        """Yield a Grant for each binding that applies to the user in a namespace.

        ClusterRoleBindings come before RoleBindings.
        """
        for binding in self._cluster_bindings:
            yield from self._granted(binding, user, "")
        for binding in self._bindings.get(namespace, ()) if namespace else ():
            yield from self._granted(binding, user, namespace)

    def role_rules(self, reference: Document, namespace: str) -> Sequence[Rule] | MissingRole:
        """Return the rules of the role that a ``roleRef`` names in a namespace.

        Returns a MissingRole if the role does not exist.
        """
        kind, name = reference["kind"], reference["name"]
        rules = self._rules.get((namespace if kind == "Role" else "", name))
        return MissingRole(kind, name) if rules is None else rules

    def _granted(self, binding: StoredObject, user: User, namespace: str) -> Iterator[Grant]:
        document = binding.document
        subject = first_subject(user, document.get("subjects") or (), namespace)
        if subject is None:
            return
        rules = self.role_rules(document["roleRef"], namespace)
        if isinstance(rules, MissingRole):
            yield Grant(binding, subject, (), rules)
        else:
            yield Grant(binding, subject, rules)
