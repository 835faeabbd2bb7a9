"""PodMetrics: CPU and memory use of pods."""
