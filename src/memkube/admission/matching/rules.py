"""Matching of requests with rules by group, version, resource, scope and operation.

With the matchPolicy Equivalent, other versions and groups of the same resource match too.
"""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from memkube.apis.admissionregistration.v1.rules.types import NamedRuleWithOperations, RuleWithOperations
from memkube.registry.declarations.admission import Attributes
from memkube.registry.declarations.catalog import Catalog
from memkube.registry.declarations.kinds import KindName
from memkube.registry.declarations.resource import Resource

_GROUP: Final = "admissionregistration.k8s.io"
_EXEMPT: Final = frozenset(
    {
        "MutatingAdmissionPolicy",
        "MutatingAdmissionPolicyBinding",
        "MutatingWebhookConfiguration",
        "ValidatingAdmissionPolicy",
        "ValidatingAdmissionPolicyBinding",
        "ValidatingWebhookConfiguration",
    }
)


class Match(NamedTuple):
    """Resource and kind that a rule matched: the request's own, or equivalent ones in another version or group."""

    resource: Resource
    kind: KindName
    """Kind of the request's objects, with the API version that the rule matched."""


def is_exempt(attributes: Attributes) -> bool:
    """True if the request's object is a webhook configuration or policy, to which webhooks and policies never apply."""
    kind = attributes.kind
    return kind.group == _GROUP and kind.kind in _EXEMPT


def namespace_of(attributes: Attributes) -> str:
    """Return the namespace of the request. For a request about a Namespace, this is the name of the Namespace."""
    return attributes.namespace or (attributes.name if attributes.resource.holds_namespaces else "")


def match_rules(
    rules: Sequence[RuleWithOperations], match_policy: str | None, attributes: Attributes, catalog: Catalog
) -> Match | None:
    """Return the resource and kind that the first matching rule matches; None if no rule matches the request.

    Rules that name the version of the request take precedence over rules that match an equivalent version.
    """
    if any(_fits(rule, attributes.resource, attributes) for rule in rules):
        return Match(attributes.resource, attributes.kind)
    if match_policy != "Equivalent" or not rules:
        return None
    others = equivalent_resources(attributes, catalog)
    for rule in rules if others else ():
        for other in others:
            if _fits(rule, other, attributes):
                return Match(other, attributes.shown or other.kind_name)
    return None


def equivalent_resources(attributes: Attributes, catalog: Catalog) -> list[Resource]:
    """Return the resource in the other API versions and groups in which the request's objects are served."""
    resource, part = attributes.resource, attributes.subresource
    kept = resource.stored_as
    return [
        other
        for other in catalog
        if other.stored_as is kept and other is not resource and (not part or other.subresource(part) is not None)
    ]


def _fits(rule: RuleWithOperations, resource: Resource, attributes: Attributes) -> bool:
    return (
        _has_scope(rule.scope, resource, attributes)
        and _has(rule.operations, attributes.operation)
        and _has(rule.apiGroups, resource.group)
        and _has(rule.apiVersions, resource.version)
        and _has_resource(rule.resources, resource.plural, attributes.subresource)
        and _has_name(rule, attributes.name)
    )


def _has(wanted: Iterable[str], given: str) -> bool:
    return any(item in ("*", given) for item in wanted)


def _has_scope(scope: str | None, resource: Resource, attributes: Attributes) -> bool:
    if scope is None or scope == "*":
        return True
    in_namespace = not resource.holds_namespaces and bool(namespace_of(attributes))
    return scope == ("Namespaced" if in_namespace else "Cluster")


def _has_resource(wanted: Iterable[str], plural: str, subresource: str) -> bool:
    for item in wanted:
        resource, _, part = item.partition("/")
        if resource in ("*", plural) and part in ("*", subresource):
            return True
    return False


def _has_name(rule: RuleWithOperations, name: str) -> bool:
    names = rule.resourceNames if isinstance(rule, NamedRuleWithOperations) else ()
    return not names or name in names
