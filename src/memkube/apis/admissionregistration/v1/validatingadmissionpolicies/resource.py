from memkube.apis.admissionregistration.v1.rules.resource import registration
from memkube.registry.declarations.lazy import LazyPackage
from memkube.registry.declarations.resource import status_subresource

lazy = LazyPackage(__package__)
BINDING_COLUMNS = lazy("columns:BINDINGS")

VALIDATING_ADMISSION_POLICIES = registration(
    lazy,
    "ValidatingAdmissionPolicy",
    "validatingadmissionpolicies",
    lazy("columns:POLICIES"),
    (status_subresource(lazy("strategy:ValidatingAdmissionPolicyStatusStrategy()")),),
)
VALIDATING_ADMISSION_POLICY_BINDINGS = registration(
    lazy, "ValidatingAdmissionPolicyBinding", "validatingadmissionpolicybindings", BINDING_COLUMNS
)
