"""The audit log: the policy that decides which requests are recorded, and the events (``audit.k8s.io/v1``)."""
