"""MutatingAdmissionPolicies and their bindings: CEL expressions that change objects on admission."""

from memkube.apis.admissionregistration.v1.rules.resource import registration

_FOLDER = "mutatingadmissionpolicies"

MUTATING_ADMISSION_POLICIES = registration(
    _FOLDER, "MutatingAdmissionPolicy", "mutatingadmissionpolicies", f"{_FOLDER}.columns:PRINTER"
)
MUTATING_ADMISSION_POLICY_BINDINGS = registration(
    _FOLDER,
    "MutatingAdmissionPolicyBinding",
    "mutatingadmissionpolicybindings",
    "validatingadmissionpolicies.columns:BINDINGS",
)
