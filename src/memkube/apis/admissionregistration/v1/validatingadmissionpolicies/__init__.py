"""ValidatingAdmissionPolicies and their bindings: CEL expressions that a write must satisfy."""
