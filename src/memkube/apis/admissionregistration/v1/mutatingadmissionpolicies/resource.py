from memkube.apis.admissionregistration.v1.rules.resource import registration
from memkube.apis.admissionregistration.v1.validatingadmissionpolicies.resource import BINDING_COLUMNS
from memkube.registry.declarations.lazy import LazyPackage

lazy = LazyPackage(__package__)

MUTATING_ADMISSION_POLICIES = registration(
    lazy, "MutatingAdmissionPolicy", "mutatingadmissionpolicies", lazy("columns:PRINTER"), hashed_version="v1beta1"
)
MUTATING_ADMISSION_POLICY_BINDINGS = registration(
    lazy, "MutatingAdmissionPolicyBinding", "mutatingadmissionpolicybindings", BINDING_COLUMNS, hashed_version="v1beta1"
)
