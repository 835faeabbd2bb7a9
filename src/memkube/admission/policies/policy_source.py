"""Reads admission policies with their bindings, and selects the policies that apply to a request.

Source: apiserver ``admission/plugin/policy/generic``.
"""

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Generic, TypeVar
from weakref import WeakKeyDictionary

from memkube.admission.matching import Configurations, Match
from memkube.admission.matching.rules import namespace_of
from memkube.admission.policies.constraints import Constraints, Misconfigured
from memkube.admission.policies.params import collect_params, param_resource
from memkube.apimachinery.model import Document
from memkube.apis.admissionregistration.v1.mutatingadmissionpolicies.types import (
    MutatingAdmissionPolicy,
    MutatingAdmissionPolicyBinding,
)
from memkube.apis.admissionregistration.v1.rules.types import MatchResources
from memkube.apis.admissionregistration.v1.validatingadmissionpolicies.types import (
    ValidatingAdmissionPolicy,
    ValidatingAdmissionPolicyBinding,
)
from memkube.registry.declarations.admission import Attributes
from memkube.registry.declarations.resource import Resource
from memkube.registry.objects.stored import StoredObject
from memkube.registry.registry import Registry

_GROUP: Final = "admissionregistration.k8s.io"
_IGNORED: Final = frozenset(
    {
        *((_GROUP, f"{kind}admission{what}") for kind in ("validating", "mutating") for what in ("policies",)),
        *((_GROUP, f"{kind}admissionpolicybindings") for kind in ("validating", "mutating")),
        ("authentication.k8s.io", "selfsubjectreviews"),
        ("authentication.k8s.io", "tokenreviews"),
        ("authorization.k8s.io", "localsubjectaccessreviews"),
        ("authorization.k8s.io", "selfsubjectaccessreviews"),
        ("authorization.k8s.io", "selfsubjectrulesreviews"),
        ("authorization.k8s.io", "subjectaccessreviews"),
    }
)
"""Resources to which policies never apply (``pkg/kubeapiserver/admission/exclusion``)."""


P = TypeVar("P", bound=ValidatingAdmissionPolicy | MutatingAdmissionPolicy)
B = TypeVar("B", bound=ValidatingAdmissionPolicyBinding | MutatingAdmissionPolicyBinding)
E = TypeVar("E")


class Policy(Generic[P, E]):
    """A validating or mutating policy, whose expressions are compiled on first use."""

    def __init__(self, model: P, make: Callable[[P], E]) -> None:
        self.model = model
        self._make = make
        spec = model.spec
        self.constraints = Constraints(spec.matchConstraints or MatchResources())

    @property
    def name(self) -> str:
        """The metadata.name of the policy."""
        return self.model.metadata.name

    @property
    def ignores_failures(self) -> bool:
        """True if the failurePolicy of the policy is Ignore."""
        return self.model.spec.failurePolicy == "Ignore"

    @cached_property
    def evaluator(self) -> E:
        """The compiled expressions of the policy. The first access compiles them."""
        return self._make(self.model)


class Binding(Generic[B]):
    """A ValidatingAdmissionPolicyBinding or MutatingAdmissionPolicyBinding, with parsed selectors."""

    def __init__(self, model: B) -> None:
        self.model = model
        resources = model.spec.matchResources
        self.constraints = None if resources is None else Constraints(resources)

    @property
    def name(self) -> str:
        """The metadata.name of the binding."""
        return self.model.metadata.name


@dataclass(frozen=True, slots=True)
class Invocation(Generic[P, B, E]):
    """A policy that applies to a request through one binding. It is evaluated once for each parameter object."""

    policy: Policy[P, E]
    binding: Binding[B]
    match: Match
    params: Sequence[Document | None]
    param_resource: Resource | None


@dataclass(frozen=True, slots=True)
class Failure(Generic[P, B, E]):
    """A policy or binding that cannot be evaluated for a request, with the error message."""

    policy: Policy[P, E]
    binding: Binding[B] | None
    why: str


class _Reader(Generic[P, B, E]):
    """Decodes stored policies and bindings, and caches the compiled expressions of unchanged policies."""

    def __init__(
        self, policy: Callable[[Document], P], binding: Callable[[Document], B], make: Callable[[P], E]
    ) -> None:
        self._read_policy = policy
        self._read_binding = binding
        self._make = make
        self._known: WeakKeyDictionary[StoredObject, Policy[P, E]] = WeakKeyDictionary()

    def bindings_by_policy(self, objects: Sequence[StoredObject]) -> dict[str, list[Binding[B]]]:
        found: dict[str, list[Binding[B]]] = {}
        for stored in objects:
            binding = Binding(self._read_binding(stored.document))
            found.setdefault(binding.model.spec.policyName, []).append(binding)
        return found

    def policies_by_name(self, objects: Sequence[StoredObject]) -> dict[str, Policy[P, E]]:
        for stored in objects:
            if stored not in self._known:
                self._known[stored] = Policy(self._read_policy(stored.document), self._make)
        return {stored.name: self._known[stored] for stored in objects}


class PolicySource(Generic[P, B, E]):
    """Finds the stored policies and bindings that apply to a request: either all validating or all mutating ones."""

    def __init__(
        self,
        registry: Registry,
        sort: str,
        read: tuple[Callable[[Document], P], Callable[[Document], B]],
        make: Callable[[P], E],
    ) -> None:
        """Prepare reading the policies and bindings of one type: `sort` is ``validating`` or ``mutating``.

        `read` has two functions: the first decodes a policy from JSON data, and the second decodes a binding. `make`
        gets a decoded policy and returns an object with its compiled expressions.
        """
        self._registry = registry
        reader = _Reader(*read, make)
        policies = registry.find(_GROUP, "v1", f"{sort}admissionpolicies")
        bindings = registry.find(_GROUP, "v1", f"{sort}admissionpolicybindings")
        self._bindings = Configurations(bindings, reader.bindings_by_policy)
        self._policies = Configurations(policies, reader.policies_by_name)

    async def matching(self, attributes: Attributes) -> AsyncIterator[Invocation[P, B, E] | Failure[P, B, E]]:
        """Yield an Invocation for each pair of a policy and one of its bindings, if both match the request.

        If a policy or binding cannot be evaluated for the request, for example because a parameter object is missing,
        yield a Failure instead.
        """
        bindings = await self._bindings.get()
        if bindings is None or (attributes.resource.group, attributes.resource.plural) in _IGNORED:
            return
        for name, policy in (await self._policies.get() or {}).items():
            bound = bindings.get(name)
            if not bound:
                continue
            try:
                match = await policy.constraints.match(attributes, self._registry)
                if match is None:
                    continue
                resource: Resource | None = None
                if policy.model.spec.paramKind is not None:
                    resource = param_resource(policy.model.spec.paramKind, self._registry)
            except Misconfigured as error:
                yield Failure(policy, None, f"failed to configure policy: {error}")
                continue
            for binding in bound:
                try:
                    constraints = binding.constraints
                    if constraints is not None and await constraints.match(attributes, self._registry) is None:
                        continue
                    kind, reference = policy.model.spec.paramKind, binding.model.spec.paramRef
                    params: Sequence[Document | None] = [None]
                    if kind is not None and resource is not None and reference is not None:
                        namespace = namespace_of(attributes)
                        params = await collect_params(kind, resource, reference, namespace, self._registry)
                except Misconfigured as error:
                    yield Failure(policy, binding, f"failed to configure binding: {error}")
                    continue
                yield Invocation(policy, binding, match, params, resource)
