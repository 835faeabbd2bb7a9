"""ValidatingAdmissionPolicies and MutatingAdmissionPolicies at work.

What stands in policies and bindings is read anew as soon as one of them has changed; a policy is compiled when a
request first concerns it. What policies have to say about a request they say in the reference's words.
"""
