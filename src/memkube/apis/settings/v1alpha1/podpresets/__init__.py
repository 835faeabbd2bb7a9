"""PodPresets: settings that are added to new pods with certain labels. Kubernetes had them up to 1.19."""
