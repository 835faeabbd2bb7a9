"""ValidatingAdmissionPolicies and MutatingAdmissionPolicies.

A change of a policy or binding causes all to be read again. A policy is compiled when it first matches a request. Error
messages are those of kube-apiserver.
"""
