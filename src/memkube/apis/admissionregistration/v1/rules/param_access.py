"""Check that a user who writes a policy or binding may read the parameter objects that it refers to.

Sources: ``authz.go`` of the four kinds below ``pkg/registry/admissionregistration``.
"""

from typing import Any, ClassVar, Final

from memkube.apimachinery.errors import ApiError, invalid
from memkube.apimachinery.field_errors import FieldPath, forbidden
from memkube.apimachinery.model import Document
from memkube.apis.admissionregistration.v1.rules.types import ParamKind, ParamRef
from memkube.registry.declarations.authorization import Attributes
from memkube.registry.declarations.interface import Finish, Stores
from memkube.registry.declarations.kinds import KindName
from memkube.registry.declarations.request_options import MASTERS, User, WriteContext
from memkube.registry.declarations.strategy import M, Strategy

_GROUP: Final = "admissionregistration.k8s.io"
_SPEC: Final = FieldPath("spec")
_MOST_SLASHES: Final = 1


class ParamKindAccess(Strategy[M]):
    """Mixin for strategies of policies: whoever writes a policy must be able to get all objects of its paramKind.

    The mixin must be the first base class of a strategy, so that its methods override those of the others.
    """

    async def begin_create(self, stores: Stores, obj: M, context: WriteContext) -> Finish | None:
        """Raise ApiError 422 if the user may not read the parameter objects. Return None, as nothing is reserved."""
        policy: Any = obj
        if policy.spec.paramKind is not None and not self.validate(obj):
            await _check_param_kind(stores, policy, context)
        return None

    async def begin_update(self, stores: Stores, new: M, old: M, context: WriteContext) -> Finish | None:
        """Raise ApiError 422 if the update sets a new paramKind whose objects the user may not read. Return None."""
        policy: Any = new
        before: Any = old
        changed = policy.spec.paramKind is not None and policy.spec.paramKind != before.spec.paramKind
        if changed and not self.validate_update(new, old):
            await _check_param_kind(stores, policy, context)
        return None


class ParamRefAccess(Strategy[M]):
    """Mixin for strategies of bindings: whoever writes a binding must be able to read the objects of its paramRef.

    The mixin must be the first base class of a strategy, so that its methods override those of the others.
    """

    policies: ClassVar[str]
    """The plural of the kind of the bindings' policies."""

    async def begin_create(self, stores: Stores, obj: M, context: WriteContext) -> Finish | None:
        """Raise ApiError 422 if the user may not read the parameter objects. Return None, as nothing is reserved."""
        if not self.validate(obj):
            await _check_param_ref(stores, obj, self.policies, context)
        return None

    async def begin_update(self, stores: Stores, new: M, old: M, context: WriteContext) -> Finish | None:
        """Raise ApiError 422 if the update selects other parameter objects that the user may not read. Return None."""
        binding: Any = new
        before: Any = old
        same = binding.spec.paramRef == before.spec.paramRef and binding.spec.policyName == before.spec.policyName
        if not same and not self.validate_update(new, old):
            await _check_param_ref(stores, binding, self.policies, context)
        return None


async def _check_param_kind(stores: Stores, policy: Any, context: WriteContext) -> None:
    """Raise ApiError 422 if the user may not get all objects of the policy's paramKind."""
    param_kind, user = policy.spec.paramKind, context.user
    if MASTERS in user.groups:
        return
    group, version, resource, _ = _resolved(stores, param_kind)
    asked = Attributes(user, "get", "*", group, version, resource, name="*")
    if (await stores.kind_services.authorizer.decide(asked)).allowed:
        return
    kind = f"kind={param_kind.kind}, apiVersion={param_kind.apiVersion}"
    why = f'user {_shown(user)} must have "get" permission on all objects of the referenced paramKind ({kind})'
    raise _refusal(policy, "paramKind", why)


async def _check_param_ref(stores: Stores, binding: Any, policies: str, context: WriteContext) -> None:
    """Raise ApiError 422 if the user may not read the parameter objects that the binding's paramRef selects.

    `policies` is the plural name of the resource to which the binding's policy belongs. If the policy or the kind of
    its parameters is unknown, the user must be able to read all resources.
    """
    reference: ParamRef | None = binding.spec.paramRef
    user = context.user
    if reference is None or MASTERS in user.groups:
        return
    verb = "get" if reference.name else "list"
    group, version, resource, unknown = await _params_of(stores, policies, binding.spec.policyName)
    asked = Attributes(user, verb, reference.namespace, group, version, resource, name=reference.name)
    if (await stores.kind_services.authorizer.decide(asked)).allowed:
        return
    # For MutatingAdmissionPolicyBindings, kube-apiserver's message has the user and the verb in the wrong order.
    first, second = (_shown(user), verb) if policies.startswith("validating") else (verb, _shown(user))
    why = f'user {first} does not have "{second}" permission on the object referenced by paramRef'
    if unknown:
        why = (
            f"unable to {unknown} to determine minimum required permissions and user {_shown(user)} "
            f'does not have "{verb}" permission for all groups, versions and resources'
        )
    raise _refusal(binding, "paramRef", why)


async def _params_of(stores: Stores, policies: str, name: str) -> tuple[str, str, str, str]:
    """Return group, version and resource of the parameters of the policy `name`, and what about them is unknown."""
    try:
        policy = await stores.find(_GROUP, "v1", policies).get("", name)
    except ApiError:
        return "*", "*", "*", f"get policy {name}"
    declared: Document | None = policy.document["spec"].get("paramKind")
    if declared is None:
        return "*", "*", "*", ""
    return _resolved(stores, ParamKind(apiVersion=declared.get("apiVersion", ""), kind=declared.get("kind", "")))


def _resolved(stores: Stores, param_kind: ParamKind) -> tuple[str, str, str, str]:
    shown = f"paramKind &{{{param_kind.apiVersion} {param_kind.kind}}}"
    if param_kind.apiVersion.count("/") > _MOST_SLASHES:
        return "*", "*", "*", f"parse {shown}"
    kind = KindName.of(param_kind.apiVersion, param_kind.kind)
    plural = stores.plural_of(kind)
    return kind.group, kind.version, plural or "*", "" if plural else f"resolve {shown}"


def _refusal(obj: Any, field: str, why: str) -> ApiError:
    return invalid(_GROUP, obj.kind, obj.metadata.name, [forbidden(_SPEC.child(field), why)])


def _shown(user: User) -> str:
    """Format a user as Go's ``%v`` prints a ``user.DefaultInfo``."""
    extra = " ".join(f"{key}:[{' '.join(values)}]" for key, values in sorted(user.extra.items()))
    return f"&{{{user.name} {user.uid} [{' '.join(user.groups)}] map[{extra}]}}"
