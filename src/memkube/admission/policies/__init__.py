"""ValidatingAdmissionPolicies and MutatingAdmissionPolicies.

Policies and bindings are read again after one of them changes. A policy is compiled for the first request that it
matches. Errors have the reference's wording.
"""
