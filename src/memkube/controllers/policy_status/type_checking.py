"""Type-checks the expressions of a ValidatingAdmissionPolicy (apiserver ``validating/typechecking.go``)."""

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Final

from memkube.apimachinery.model import Document
from memkube.apis.admissionregistration.v1.rules.expressions import Expressions, typed_environment
from memkube.apis.admissionregistration.v1.rules.types import NamedRuleWithOperations, ParamKind
from memkube.apis.admissionregistration.v1.validatingadmissionpolicies.types import (
    ValidatingAdmissionPolicy,
    ValidatingAdmissionPolicySpec,
)
from memkube.cel.declarations import ObjectType
from memkube.cel.types import DYN, struct
from memkube.controllers.policy_status.schema_types import Kind
from memkube.registry.declarations.catalog import Catalog
from memkube.registry.declarations.kinds import KindName
from memkube.registry.declarations.resource import Resource

_MOST_KINDS: Final = 10


def expression_warnings(policy: Document, catalog: Catalog) -> list[Document]:
    """Return a warning for each expression that does not compile for one of the kinds that the policy matches.

    The schemas of these kinds are looked up in `catalog`.
    """
    spec = ValidatingAdmissionPolicy.from_document(policy).spec
    rules = spec.matchConstraints.resourceRules if spec.matchConstraints else []
    checkers = [(_shown(kind), _checker(kind, spec, catalog)) for kind in checked_kinds(rules, catalog)]
    found = []
    for index, validation in enumerate(spec.validations):
        for name, text in (
            ("expression", validation.expression),
            ("messageExpression", validation.messageExpression),
        ):
            errors = [(kind, checker.compile_error(text)) for kind, checker in checkers if text]
            warning = "\n".join(f"{kind}: {error}\n" for kind, error in errors if error)
            if warning:
                found.append({"fieldRef": f"spec.validations[{index}].{name}", "warning": warning})
    return found


def checked_kinds(rules: Sequence[NamedRuleWithOperations], catalog: Catalog) -> list[Resource]:
    """Return the kinds that the policy's rules name. Wildcards and subresources are ignored.

    As in Kubernetes, only the first ten kinds of a rule are returned, and all rules after a rule with ten kinds or more
    are ignored.
    """
    found: dict[KindName, Resource] = {}
    for rule in rules:
        for count, resource in enumerate(_named(rule, catalog), 1):
            found[resource.kind_name] = resource
            if count == _MOST_KINDS:
                return _ordered(found)
    return _ordered(found)


def _ordered(found: dict[KindName, Resource]) -> list[Resource]:
    return [found[name] for name in sorted(found, key=lambda name: (name.group, name.version, name.kind))]


def _named(rule: NamedRuleWithOperations, catalog: Catalog) -> Iterator[Resource]:
    groups, versions = rule.apiGroups, rule.apiVersions
    if any("*" in text for text in (*groups, *versions)):
        return
    plurals = [text for text in rule.resources if "*" not in text and "/" not in text]
    for group, version, plural in product(sorted(groups), sorted(versions), sorted(plurals)):
        for resource in catalog:
            # As in Kubernetes, the empty group in a rule matches any group.
            if (
                resource.version == version
                and group in ("", resource.group)
                and plural in _plural_and_singular(resource)
            ):
                yield resource


def _plural_and_singular(resource: Resource) -> tuple[str, str]:
    return resource.plural, resource.singular


def _checker(resource: Resource, spec: ValidatingAdmissionPolicySpec, catalog: Catalog) -> Expressions:
    """Return a type checker for a policy's expressions, with ``object`` of this resource and the policy's variables."""
    params = _param_kind(spec.paramKind, catalog)
    # The CEL types of ``object`` and ``params`` are named after the kinds, with the digits 0 and 1 at the end. The two
    # names thus differ, even for the same kind, and no expression contains them.
    objects = Kind(f"{resource.kind}0", resource.schema)
    kinds = [objects, *([params] if params else [])]

    def find(name: str) -> ObjectType | None:
        return next((found for kind in kinds if (found := kind.find(name)) is not None), None)

    known = None if spec.paramKind is None else struct(params.name) if params else DYN
    checker = Expressions(typed=typed_environment(struct(objects.name), known, find), variables={})
    for variable in spec.variables:
        checker.declare(variable.name, variable.expression)
    return checker


def _param_kind(kind: ParamKind | None, catalog: Catalog) -> Kind | None:
    resource = None if kind is None else catalog.of_kind(KindName.of(kind.apiVersion, kind.kind))
    return None if resource is None else Kind(f"{resource.kind}1", resource.schema)


def _shown(resource: Resource) -> str:
    return f"{resource.group}/{resource.version}, Kind={resource.kind}"
