"""TODO."""

from memkube.apis.admissionregistration.v1.validatingadmissionpolicies.types import (
    ValidatingAdmissionPolicy,
    ValidatingAdmissionPolicyBinding,
)
from memkube.registry.strategy import Strategy


class ValidatingAdmissionPolicyStrategy(Strategy[ValidatingAdmissionPolicy]):
    """TODO."""


class ValidatingAdmissionPolicyStatusStrategy(ValidatingAdmissionPolicyStrategy):
    """TODO."""


class ValidatingAdmissionPolicyBindingStrategy(Strategy[ValidatingAdmissionPolicyBinding]):
    """TODO."""
