"""ValidatingAdmissionPolicies and MutatingAdmissionPolicies.

If a policy or binding changes, all policies and bindings are read again. A policy is compiled when it first matches a
request. Error messages are the same as kube-apiserver's.
"""
