"""Type-checks the expressions of ValidatingAdmissionPolicies, and writes warnings into their status."""
