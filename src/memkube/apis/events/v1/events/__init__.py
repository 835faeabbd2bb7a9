"""Events of events.k8s.io/v1: the same stored objects as core/v1 Events, in another API version."""
