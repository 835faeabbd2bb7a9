"""Events of events.k8s.io/v1: the same objects as core/v1 Events, in another version."""
