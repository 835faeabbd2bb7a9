"""The admission plugins that apply stored ValidatingAdmissionPolicies and MutatingAdmissionPolicies to requests."""

from typing import ClassVar

from memkube.admission.chain import AdmissionParts, Plugin
from memkube.admission.policies.mutating import MutatingPolicies
from memkube.admission.policies.validating import ValidatingPolicies
from memkube.registry.declarations.admission import Attributes


class ValidatingAdmissionPolicy(Plugin):
    """Admission plugin that evaluates ValidatingAdmissionPolicies.

    Source: apiserver ``admission/plugin/policy/validating``.
    """

    name: ClassVar[str] = "ValidatingAdmissionPolicy"

    def __init__(self, parts: AdmissionParts) -> None:
        super().__init__(parts)
        self._bindings = parts.registry.find("admissionregistration.k8s.io", "v1", "validatingadmissionpolicybindings")
        self.configured = self._bindings.emptiness()
        self._policies = ValidatingPolicies(parts.registry)

    async def validate(self, attributes: Attributes) -> None:
        """Raise ApiError if a ValidatingAdmissionPolicy that has a binding denies the request."""
        if await self._bindings.all():
            await self._policies.validate(attributes)


class MutatingAdmissionPolicy(Plugin):
    """Admission plugin that applies MutatingAdmissionPolicies.

    Source: apiserver ``admission/plugin/policy/mutating``.
    """

    name: ClassVar[str] = "MutatingAdmissionPolicy"

    def __init__(self, parts: AdmissionParts) -> None:
        super().__init__(parts)
        self._bindings = parts.registry.find("admissionregistration.k8s.io", "v1", "mutatingadmissionpolicybindings")
        self.configured = self._bindings.emptiness()
        self._policies = MutatingPolicies(parts.registry)

    async def mutate(self, attributes: Attributes) -> None:
        """Apply all MutatingAdmissionPolicies that have a binding to the object. Raises ApiError if a policy fails."""
        if await self._bindings.all():
            await self._policies.mutate(attributes)
