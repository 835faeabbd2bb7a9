"""Writes type errors in expressions into the status of ValidatingAdmissionPolicies."""
