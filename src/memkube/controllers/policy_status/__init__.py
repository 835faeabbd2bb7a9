"""The status of ValidatingAdmissionPolicies: type errors in their expressions."""
