"""The status of ValidatingAdmissionPolicies: doubtful types in their expressions."""
