"""The simulated kubelet: it runs the pods of a node without starting any process."""
