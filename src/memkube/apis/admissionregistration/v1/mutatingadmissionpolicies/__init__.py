"""MutatingAdmissionPolicies and their bindings: CEL expressions that change objects on admission."""
