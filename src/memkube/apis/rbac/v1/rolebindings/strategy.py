"""Validation (``pkg/apis/rbac/validation``) and strategies of role bindings."""

from typing import ClassVar, Final, TypeVar

from memkube.apimachinery.field_errors import FieldError, FieldPath, invalid, not_supported_string, required
from memkube.apimachinery.names import subdomain_name
from memkube.apimachinery.shown_values import InternalValue
from memkube.apis.core.v1.metadata import validate_metadata, validate_metadata_update
from memkube.apis.rbac.v1.rolebindings.types import ClusterRoleBinding, RoleBinding, RoleRef, Subject
from memkube.apis.rbac.v1.roles.strategy import changes_only_dependencies, chosen_name, rbac_name
from memkube.registry.declarations.interface import Stores
from memkube.registry.declarations.request_options import WriteContext
from memkube.registry.declarations.strategy import Strategy

B = TypeVar("B", RoleBinding, ClusterRoleBinding)
_GROUP: Final = "rbac.authorization.k8s.io"
_ROLE_REF: Final = FieldPath("roleRef")
_SUBJECTS: Final = FieldPath("subjects")
_KINDS: Final = ("ServiceAccount", "User", "Group")


def validate_binding(binding: RoleBinding | ClusterRoleBinding) -> list[FieldError]:
    """Validate a RoleBinding or ClusterRoleBinding: complete roleRef and subjects.

    A ClusterRoleBinding must refer to a ClusterRole.
    """
    namespaced = isinstance(binding, RoleBinding)
    errors = validate_metadata(binding.metadata, rbac_name, namespaced=namespaced)
    errors += _validate_role_ref(binding.roleRef, ("Role", "ClusterRole") if namespaced else ("ClusterRole",))
    for index, subject in enumerate(binding.subjects):
        errors += _validate_subject(subject, _SUBJECTS.item(index), namespaced=namespaced)
    return errors


def validate_binding_update(new: B, old: B) -> list[FieldError]:
    """Validate an update of a role binding by the rules for new bindings. The roleRef is immutable."""
    errors = validate_binding(new) + validate_metadata_update(new.metadata, old.metadata)
    if new.roleRef != old.roleRef:
        errors.append(invalid(_ROLE_REF, InternalValue(new.roleRef), "cannot change roleRef"))
    return errors


def _validate_role_ref(reference: RoleRef, kinds: tuple[str, ...]) -> list[FieldError]:
    errors: list[FieldError] = []
    if reference.apiGroup != _GROUP:
        errors.append(not_supported_string(_ROLE_REF.child("apiGroup"), reference.apiGroup, (_GROUP,)))
    if reference.kind not in kinds:
        errors.append(not_supported_string(_ROLE_REF.child("kind"), reference.kind, kinds))
    path = _ROLE_REF.child("name")
    if not reference.name:
        return [*errors, required(path)]
    return errors + [invalid(path, reference.name, message) for message in rbac_name(reference.name)]


def _validate_subject(subject: Subject, path: FieldPath, *, namespaced: bool) -> list[FieldError]:
    errors = [] if subject.name else [required(path.child("name"))]
    if subject.kind not in _KINDS:
        return [*errors, not_supported_string(path.child("kind"), subject.kind, _KINDS)]
    group_path = path.child("apiGroup")
    if subject.kind != "ServiceAccount":
        return (
            errors
            if subject.apiGroup == _GROUP
            else [*errors, not_supported_string(group_path, subject.apiGroup, (_GROUP,))]
        )
    if subject.name:
        errors += [invalid(path.child("name"), subject.name, message) for message in subdomain_name(subject.name)]
    if subject.apiGroup:
        errors.append(not_supported_string(group_path, subject.apiGroup, ("",)))
    if not namespaced and not subject.namespace:
        errors.append(required(path.child("namespace")))
    return errors


class _BindingStrategy(Strategy[B]):
    allow_create_on_update: ClassVar[bool] = True
    plural: ClassVar[str]

    validate = staticmethod(validate_binding)
    validate_update = staticmethod(validate_binding_update)

    async def begin_create(self, stores: Stores, obj: B, context: WriteContext) -> None:
        reference = obj.roleRef.to_document()
        await stores.kind_services.escalation.check_binding(self.plural, chosen_name(obj), reference, context)

    async def authorize_update(self, stores: Stores, new: B, old: B, context: WriteContext) -> None:
        if not changes_only_dependencies(new, old):
            reference, name = new.roleRef.to_document(), new.metadata.name
            await stores.kind_services.escalation.check_binding(self.plural, name, reference, context)

    def default(self, obj: B) -> None:
        """Set the default API group of a binding's role reference, and of its users and groups."""
        obj.roleRef.apiGroup = obj.roleRef.apiGroup or _GROUP
        for subject in obj.subjects:
            if not subject.apiGroup and subject.kind in ("User", "Group"):
                subject.apiGroup = _GROUP


class RoleBindingStrategy(_BindingStrategy[RoleBinding]):
    """Validates RoleBindings, and refuses a binding to a role with permissions that the writer may not give to others.

    The writer must have all permissions of the role, or the right to ``bind`` it. Source:
    ``pkg/registry/rbac/rolebinding/strategy.go`` and ``policybased/storage.go``.
    """

    plural = "rolebindings"


class ClusterRoleBindingStrategy(_BindingStrategy[ClusterRoleBinding]):
    """Validates ClusterRoleBindings, and refuses a binding to a role with permissions that the writer may not give.

    The writer must have all permissions of the role, or the right to ``bind`` it. Source:
    ``pkg/registry/rbac/clusterrolebinding/strategy.go`` and ``policybased/storage.go``.
    """

    plural = "clusterrolebindings"
