"""PodPresets: additions to new pods that have certain labels. Kubernetes had them up to 1.19."""
