"""The plugins ValidatingAdmissionPolicy and MutatingAdmissionPolicy.

The CEL evaluation is imported for the first request after a binding is created.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from memkube.admission.chain import AdmissionParts, Plugin
from memkube.registry.declarations.admission import Attributes

if TYPE_CHECKING:
    from memkube.admission.policies.mutating import MutatingPolicies
    from memkube.admission.policies.validating import ValidatingPolicies


class ValidatingAdmissionPolicy(Plugin):
    """Implements apiserver ``admission/plugin/policy/validating``."""

    name: ClassVar[str] = "ValidatingAdmissionPolicy"

    def __init__(self, parts: AdmissionParts) -> None:
        super().__init__(parts)
        self._bindings = parts.registry.find("admissionregistration.k8s.io", "v1", "validatingadmissionpolicybindings")
        self.configured = self._bindings.emptiness()
        self._policies: ValidatingPolicies | None = None

    async def validate(self, attributes: Attributes) -> None:
        """Refuse the request if a bound policy denies it. Raises ApiError."""
        if not await self._bindings.all():
            return
        if self._policies is None:
            from memkube.admission.policies.validating import ValidatingPolicies  # noqa: PLC0415  see the module

            self._policies = ValidatingPolicies(self._registry)
        await self._policies.validate(attributes)


class MutatingAdmissionPolicy(Plugin):
    """Implements apiserver ``admission/plugin/policy/mutating``."""

    name: ClassVar[str] = "MutatingAdmissionPolicy"

    def __init__(self, parts: AdmissionParts) -> None:
        super().__init__(parts)
        self._bindings = parts.registry.find("admissionregistration.k8s.io", "v1", "mutatingadmissionpolicybindings")
        self.configured = self._bindings.emptiness()
        self._policies: MutatingPolicies | None = None

    async def mutate(self, attributes: Attributes) -> None:
        """Apply all bound policies to the object. Raises ApiError if a policy fails."""
        if not await self._bindings.all():
            return
        if self._policies is None:
            from memkube.admission.policies.mutating import MutatingPolicies  # noqa: PLC0415  see the module

            self._policies = MutatingPolicies(self._registry)
        await self._policies.mutate(attributes)
