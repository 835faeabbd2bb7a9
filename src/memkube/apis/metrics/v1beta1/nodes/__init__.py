"""NodeMetrics: CPU and memory use of nodes."""
