"""TODO."""

from memkube.apis.admissionregistration.v1.mutatingadmissionpolicies.types import (
    MutatingAdmissionPolicy,
    MutatingAdmissionPolicyBinding,
)
from memkube.registry.strategy import Strategy


class MutatingAdmissionPolicyStrategy(Strategy[MutatingAdmissionPolicy]):
    """TODO."""


class MutatingAdmissionPolicyBindingStrategy(Strategy[MutatingAdmissionPolicyBinding]):
    """TODO."""
