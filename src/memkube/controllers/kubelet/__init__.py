"""A node that runs pods without running anything: the simulated kubelet."""
