"""The simulated kubelet. It runs the pods of nodes without starting any process."""
