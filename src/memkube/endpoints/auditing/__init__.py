"""The audit log: which requests it records, in how much detail, and what an event says (``audit.k8s.io/v1``)."""
