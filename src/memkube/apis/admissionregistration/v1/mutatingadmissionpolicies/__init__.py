"""MutatingAdmissionPolicies and their bindings: expressions that change a write."""
