"""PodPresets: what new pods with certain labels get besides what they ask for. Kubernetes had them up to 1.19."""
