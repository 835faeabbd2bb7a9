"""ValidatingAdmissionPolicies and their bindings: expressions that a write must satisfy."""
