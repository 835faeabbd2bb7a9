"""MutatingAdmissionPolicies and their bindings: expressions that change a write."""

from memkube.registry.lazy import Lazy
from memkube.registry.resource import Resource, name_field

MUTATING_ADMISSION_POLICIES = Resource(
    group="admissionregistration.k8s.io",
    version="v1",
    kind="MutatingAdmissionPolicy",
    plural="mutatingadmissionpolicies",
    singular="mutatingadmissionpolicy",
    namespaced=False,
    selectable_fields=name_field,
    categories=("api-extensions",),
    model=Lazy("memkube.apis.admissionregistration.v1.mutatingadmissionpolicies.types:MutatingAdmissionPolicy"),
    strategy=Lazy(
        "memkube.apis.admissionregistration.v1.mutatingadmissionpolicies.strategy:MutatingAdmissionPolicyStrategy()"
    ),
    printer=Lazy("memkube.apis.admissionregistration.v1.mutatingadmissionpolicies.columns:PRINTER"),
)
MUTATING_ADMISSION_POLICY_BINDINGS = Resource(
    group="admissionregistration.k8s.io",
    version="v1",
    kind="MutatingAdmissionPolicyBinding",
    plural="mutatingadmissionpolicybindings",
    singular="mutatingadmissionpolicybinding",
    namespaced=False,
    selectable_fields=name_field,
    categories=("api-extensions",),
    model=Lazy("memkube.apis.admissionregistration.v1.mutatingadmissionpolicies.types:MutatingAdmissionPolicyBinding"),
    strategy=Lazy(
        "memkube.apis.admissionregistration.v1.mutatingadmissionpolicies.strategy:MutatingAdmissionPolicyBindingStrategy()"
    ),
    printer=Lazy("memkube.apis.admissionregistration.v1.validatingadmissionpolicies.columns:BINDINGS"),
)
