"""PodPresets: environment variables and volumes added to new pods with certain labels, as in Kubernetes up to 1.19."""
