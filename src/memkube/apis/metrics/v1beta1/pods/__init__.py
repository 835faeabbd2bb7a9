"""PodMetrics: processor and memory use of pods."""
