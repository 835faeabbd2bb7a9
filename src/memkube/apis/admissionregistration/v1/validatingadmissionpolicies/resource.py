"""ValidatingAdmissionPolicies and their bindings: expressions that a write must satisfy."""

from memkube.registry.lazy import Lazy
from memkube.registry.resource import Resource, name_field, status_subresource

VALIDATING_ADMISSION_POLICIES = Resource(
    group="admissionregistration.k8s.io",
    version="v1",
    kind="ValidatingAdmissionPolicy",
    plural="validatingadmissionpolicies",
    singular="validatingadmissionpolicy",
    namespaced=False,
    selectable_fields=name_field,
    categories=("api-extensions",),
    model=Lazy("memkube.apis.admissionregistration.v1.validatingadmissionpolicies.types:ValidatingAdmissionPolicy"),
    strategy=Lazy(
        "memkube.apis.admissionregistration.v1.validatingadmissionpolicies.strategy:ValidatingAdmissionPolicyStrategy()"
    ),
    printer=Lazy("memkube.apis.admissionregistration.v1.validatingadmissionpolicies.columns:POLICIES"),
    subresources=(
        status_subresource(
            Lazy(
                "memkube.apis.admissionregistration.v1.validatingadmissionpolicies.strategy:ValidatingAdmissionPolicyStatusStrategy()"
            )
        ),
    ),
)
VALIDATING_ADMISSION_POLICY_BINDINGS = Resource(
    group="admissionregistration.k8s.io",
    version="v1",
    kind="ValidatingAdmissionPolicyBinding",
    plural="validatingadmissionpolicybindings",
    singular="validatingadmissionpolicybinding",
    namespaced=False,
    selectable_fields=name_field,
    categories=("api-extensions",),
    model=Lazy(
        "memkube.apis.admissionregistration.v1.validatingadmissionpolicies.types:ValidatingAdmissionPolicyBinding"
    ),
    strategy=Lazy(
        "memkube.apis.admissionregistration.v1.validatingadmissionpolicies.strategy:ValidatingAdmissionPolicyBindingStrategy()"
    ),
    printer=Lazy("memkube.apis.admissionregistration.v1.validatingadmissionpolicies.columns:BINDINGS"),
)
