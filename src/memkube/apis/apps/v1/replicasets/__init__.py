"""ReplicaSets: each keeps a given number of identical pods running."""
