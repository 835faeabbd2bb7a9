"""ValidatingAdmissionPolicies and their bindings: CEL expressions that a write must satisfy."""

from memkube.apis.admissionregistration.v1.rules.resource import registration
from memkube.registry.declarations.lazy import Lazy
from memkube.registry.declarations.resource import status_subresource

_FOLDER = "validatingadmissionpolicies"
_STATUS = f"memkube.apis.admissionregistration.v1.{_FOLDER}.strategy:ValidatingAdmissionPolicyStatusStrategy()"

VALIDATING_ADMISSION_POLICIES = registration(
    _FOLDER,
    "ValidatingAdmissionPolicy",
    "validatingadmissionpolicies",
    f"{_FOLDER}.columns:POLICIES",
    (status_subresource(Lazy(_STATUS)),),
)
VALIDATING_ADMISSION_POLICY_BINDINGS = registration(
    _FOLDER,
    "ValidatingAdmissionPolicyBinding",
    "validatingadmissionpolicybindings",
    f"{_FOLDER}.columns:BINDINGS",
)
