"""Checks that users do not grant rights that they do not have themselves (``pkg/registry/rbac``, ``policybased``)."""

from collections.abc import Iterator, Sequence
from typing import Final

from memkube.apimachinery.errors import GroupResource, bad_request, forbidden, not_found, unclassified
from memkube.apimachinery.model import Document
from memkube.apimachinery.shown_values import quoted
from memkube.auth.authorization.interface import Attributes, Authorizer, Rule
from memkube.auth.authorization.rbac.coverage import uncovered
from memkube.auth.authorization.rbac.policy import GROUP, MissingRole, Policy
from memkube.registry.declarations.authorization import binding_right, escalation_right
from memkube.registry.declarations.request_options import MASTERS, User, WriteContext
from memkube.registry.reads.collection import check_key_name

_ALL: Final = "*"
_EVERYTHING: Final = (Rule((_ALL,), (_ALL,), (_ALL,)), Rule((_ALL,), paths=(_ALL,)))
_PLURALS: Final = {"Role": "roles", "ClusterRole": "clusterroles"}


class PolicyBasedChecks:
    """Refuses roles and bindings that would give rights which the user who writes them does not have."""

    def __init__(self, policy: Policy, authorizer: Authorizer) -> None:
        self._policy = policy
        self._authorizer = authorizer

    async def check_role(self, plural: str, name: str, rules: Sequence[Rule], context: WriteContext) -> None:
        if await self._may_escalate(plural, context):
            context.rights.append(escalation_right(plural, context))
        else:
            self._check(plural, name, rules, context)

    async def check_aggregation(self, name: str, context: WriteContext) -> None:
        plural = _PLURALS["ClusterRole"]
        if await self._may_escalate(plural, context):
            context.rights.append(escalation_right(plural, context))
        elif self._missing(_EVERYTHING, context):
            why = "must have cluster-admin privileges to use the aggregationRule"
            raise forbidden(GroupResource(GROUP, plural), name, why)

    async def check_binding(self, plural: str, name: str, reference: Document, context: WriteContext) -> None:
        if MASTERS in context.user.groups:
            context.rights.append(binding_right(reference, context))
            return
        await self._policy.catch_up()
        role = _PLURALS.get(reference["kind"])
        if role is None:
            # The binding has not been validated yet, so kube-apiserver returns an internal error here instead of 422.
            raise unclassified(f"unsupported role reference kind: {quoted(reference['kind'])}")
        if await self._may(context.user, "bind", reference["apiGroup"], role, context.namespace, reference["name"]):
            context.rights.append(binding_right(reference, context))
            return
        # The binding has not been validated yet, so the checks below return errors as for a GET of the role.
        if role == "roles" and not context.namespace:
            raise bad_request("Namespace parameter required.")
        check_key_name(reference["name"])
        rules = self._policy.role_rules(reference, context.namespace)
        if isinstance(rules, MissingRole):
            # As in kube-apiserver, the error names the resource of the request, such as rolebindings, instead of roles.
            raise not_found(GroupResource(GROUP, plural), rules.name)
        self._check(plural, name, rules, context)

    async def _may_escalate(self, plural: str, context: WriteContext) -> bool:
        await self._policy.catch_up()
        user, namespace, name = context.user, context.namespace, context.name
        return MASTERS in user.groups or await self._may(user, "escalate", GROUP, plural, namespace, name)

    async def _may(self, user: User, verb: str, group: str, plural: str, namespace: str, name: str) -> bool:
        attributes = Attributes(user, verb, namespace, group, _ALL, plural, "", name)
        return (await self._authorizer.decide(attributes)).allowed

    def _missing(self, rules: Sequence[Rule], context: WriteContext) -> list[Rule]:
        """Return those parts of `rules` that the user's own rules do not cover."""
        held = [rule for grant in self._policy.grants(context.user, context.namespace) for rule in grant.rules]
        return uncovered(held, rules)

    def _check(self, plural: str, name: str, rules: Sequence[Rule], context: WriteContext) -> None:
        missing = self._missing(rules, context)
        if not missing:
            return
        user = context.user
        lines = "\n".join(sorted({_shown(rule) for rule in _compacted(missing)}))
        why = (
            f"user {quoted(user.name)} (groups={_list(user.groups)}) is attempting to grant RBAC permissions "
            f"not currently held:\n{lines}"
        )
        absent = [grant.missing for grant in self._policy.grants(user, context.namespace) if grant.missing is not None]
        if absent:
            distinct = list(dict.fromkeys(role.message(plural) for role in absent))
            shown = f"[{', '.join(distinct)}]" if len(distinct) > 1 else distinct[0]
            why += f"; resolution errors: [{shown}]"
        raise forbidden(GroupResource(GROUP, plural), name, why)


def _compacted(rules: Sequence[Rule]) -> Iterator[Rule]:
    """Yield the rules; rules about the same groups, resources and names are joined to one rule with all their verbs.

    Rules about URL paths are not joined.
    """
    verbs: dict[tuple[Sequence[str], Sequence[str], Sequence[str]], list[str]] = {}
    for rule in rules:
        if rule.paths:
            yield rule
        else:
            verbs.setdefault((rule.groups, rule.resources, rule.names), []).extend(rule.verbs)
    for (groups, resources, names), joined in verbs.items():
        yield Rule(joined, groups, resources, names)


def _shown(rule: Rule) -> str:
    """Describe a rule as in kube-apiserver's errors (``rbacv1helpers.CompactString``)."""
    parts = (
        ("APIGroups", rule.groups),
        ("Resources", rule.resources),
        ("NonResourceURLs", rule.paths),
        ("ResourceNames", rule.names),
        ("Verbs", rule.verbs),
    )
    return "{" + ", ".join(f"{name}:{_list(values)}" for name, values in parts if values) + "}"


def _list(values: Sequence[str]) -> str:
    return f"[{' '.join(map(quoted, values))}]"
