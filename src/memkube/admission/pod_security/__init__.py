"""PodSecurity: what pods of a namespace may do to their node, by levels that its labels name.

Source: ``staging/src/k8s.io/pod-security-admission``. Here as there without a configuration: nothing is exempt, and
a namespace without labels is privileged. What is audited shows nowhere, since there is no audit log.
"""
