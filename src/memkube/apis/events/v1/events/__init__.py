"""Events of events.k8s.io: another form of those of the core group, kept with them."""
