"""The audit log: the policy that selects requests and details, and the recorded events (``audit.k8s.io/v1``)."""
