"""The simulated kubelet, which runs the pods of nodes without starting processes."""
