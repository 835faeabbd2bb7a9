"""PodSecurity: enforces the Pod Security Standards that a namespace's labels select.

Source: ``staging/src/k8s.io/pod-security-admission``, with its default configuration: no exemptions, and a namespace
without labels is privileged. Violations of the audit level become audit annotations.
"""
