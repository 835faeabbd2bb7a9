"""Validation (``pkg/apis/rbac/validation``) and strategies of Roles and ClusterRoles."""

from collections.abc import Sequence
from typing import ClassVar, Final

from memkube.apimachinery import labels
from memkube.apimachinery.field_errors import FieldError, FieldPath, invalid, required
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.meta.v1.selectors import LabelSelector
from memkube.apimachinery.meta.validation.labels import validate_label_selector
from memkube.apimachinery.names import is_path_segment_name
from memkube.apis.core.v1.metadata import validate_metadata, validate_metadata_update
from memkube.apis.rbac.v1.roles.types import ClusterRole, PolicyRule, Role
from memkube.registry.declarations.authorization import Rule
from memkube.registry.declarations.interface import Stores
from memkube.registry.declarations.request_options import WriteContext
from memkube.registry.declarations.strategy import Strategy

_RULES: Final = FieldPath("rules")
_SELECTORS: Final = FieldPath("aggregationRule").child("clusterRoleSelectors")


def rbac_name(name: str, is_prefix: bool = False) -> list[str]:
    """Return the errors of the name of a role or role binding, which must be a valid segment of a URL path.

    `is_prefix` is ignored: the same rule applies to the prefix in generateName.
    """
    return is_path_segment_name(name)


def chosen_name(obj: ApiObject) -> str:
    """Return the name that the client has given to a new object.

    Returns an empty text if the client left the choice to the server.
    """
    base = obj.metadata.generateName
    return "" if base and obj.metadata.name.startswith(base) else obj.metadata.name


def changes_only_dependencies(new: ApiObject, old: ApiObject) -> bool:
    """True if an update changes nothing but ownerReferences and finalizers, as the garbage collector does."""
    kept = {"ownerReferences", "finalizers", "selfLink", "managedFields"}
    before, after = old.to_document(), new.to_document()
    metadata = [
        {key: value for key, value in one.pop("metadata").items() if key not in kept} for one in (before, after)
    ]
    return metadata[0] == metadata[1] and before == after


def validate_role(role: Role) -> list[FieldError]:
    """Validate a Role: each rule has verbs, API groups and resources."""
    errors = validate_metadata(role.metadata, rbac_name, namespaced=True)
    return errors + _validate_rules(role.rules, namespaced=True)


def validate_cluster_role(role: ClusterRole, *, any_values: bool = False) -> list[FieldError]:
    """Validate a ClusterRole.

    Each rule must be either about resources or about non-resource paths, and the selectors of the aggregation rule must
    be valid. If `any_values` is True, the selectors may contain values that are not valid label values.
    """
    errors = validate_metadata(role.metadata, rbac_name, namespaced=False)
    errors += _validate_rules(role.rules, namespaced=False)
    if role.aggregationRule is None:
        return errors
    selectors = role.aggregationRule.clusterRoleSelectors
    if not selectors:
        why = "at least one clusterRoleSelector required if aggregationRule is non-nil"
        errors.append(required(_SELECTORS, why))
    for index, selector in enumerate(selectors):
        path = _SELECTORS.item(index)
        errors += validate_label_selector(selector, path, any_values=any_values)
        if not _can_be_evaluated(selector):
            errors.append(invalid(path, None, "invalid label selector."))
    return errors


def _can_be_evaluated(selector: LabelSelector) -> bool:
    try:
        labels.from_model(selector)
    except ValueError:
        return False
    return True


def _validate_rules(rules: Sequence[PolicyRule], *, namespaced: bool) -> list[FieldError]:
    errors: list[FieldError] = []
    for index, rule in enumerate(rules):
        path = _RULES.item(index)
        if not rule.verbs:
            errors.append(required(path.child("verbs"), "verbs must contain at least one value"))
        if rule.nonResourceURLs:
            errors += _validate_urls(rule, path.child("nonResourceURLs"), namespaced=namespaced)
            continue
        if not rule.apiGroups:
            errors.append(required(path.child("apiGroups"), "resource rules must supply at least one api group"))
        if not rule.resources:
            errors.append(required(path.child("resources"), "resource rules must supply at least one resource"))
    return errors


def _validate_urls(rule: PolicyRule, path: FieldPath, *, namespaced: bool) -> list[FieldError]:
    errors: list[FieldError] = []
    if namespaced:
        why = "namespaced rules cannot apply to non-resource URLs"
        errors.append(invalid(path, rule.nonResourceURLs, why))
    if rule.apiGroups or rule.resources or rule.resourceNames:
        why = "rules cannot apply to both regular resources and non-resource URLs"
        errors.append(invalid(path, rule.nonResourceURLs, why))
    return errors


def _rules_of(role: Role | ClusterRole) -> list[Rule]:
    return [Rule(r.verbs, r.apiGroups, r.resources, r.resourceNames, r.nonResourceURLs) for r in role.rules]


def _is_aggregated(role: ClusterRole) -> bool:
    return role.aggregationRule is not None and bool(role.aggregationRule.clusterRoleSelectors)


class RoleStrategy(Strategy[Role]):
    """Strategy for creating and updating Roles (``pkg/registry/rbac/role/strategy.go``).

    Users may grant only permissions that they have themselves: EscalationChecks refuses other writes.
    """

    allow_create_on_update: ClassVar[bool] = True

    validate = staticmethod(validate_role)

    async def begin_create(self, stores: Stores, obj: Role, context: WriteContext) -> None:
        await stores.kind_services.escalation.check_role("roles", chosen_name(obj), _rules_of(obj), context)

    async def authorize_update(self, stores: Stores, new: Role, old: Role, context: WriteContext) -> None:
        if not changes_only_dependencies(new, old):
            name = new.metadata.name
            await stores.kind_services.escalation.check_role("roles", name, _rules_of(new), context)

    def validate_update(self, new: Role, old: Role) -> list[FieldError]:
        """Validate an update of a Role by the rules for new Roles."""
        return validate_role(new) + validate_metadata_update(new.metadata, old.metadata)


class ClusterRoleStrategy(Strategy[ClusterRole]):
    """Validates ClusterRoles, and refuses a role with permissions that the writer may not give to others.

    The writer must have all permissions of the role, or the right to ``escalate``. Source:
    ``pkg/registry/rbac/clusterrole/strategy.go`` and ``policybased/storage.go``.
    """

    allow_create_on_update: ClassVar[bool] = True

    validate = staticmethod(validate_cluster_role)

    async def begin_create(self, stores: Stores, obj: ClusterRole, context: WriteContext) -> None:
        name, escalation = chosen_name(obj), stores.kind_services.escalation
        await escalation.check_role("clusterroles", name, _rules_of(obj), context)
        if _is_aggregated(obj):
            await escalation.check_aggregation(name, context)

    async def authorize_update(self, stores: Stores, new: ClusterRole, old: ClusterRole, context: WriteContext) -> None:
        if changes_only_dependencies(new, old):
            return
        name, escalation = new.metadata.name, stores.kind_services.escalation
        await escalation.check_role("clusterroles", name, _rules_of(new), context)
        if _is_aggregated(new) or _is_aggregated(old):
            await escalation.check_aggregation(name, context)

    def validate_update(self, new: ClusterRole, old: ClusterRole) -> list[FieldError]:
        """Validate an update of a ClusterRole by the rules for new ClusterRoles.

        Invalid values in selectors are accepted if the old selectors have invalid values too.
        """
        before = old.aggregationRule.clusterRoleSelectors if old.aggregationRule is not None else ()
        errors = validate_cluster_role(new, any_values=any(validate_label_selector(s, _SELECTORS) for s in before))
        return errors + validate_metadata_update(new.metadata, old.metadata)
