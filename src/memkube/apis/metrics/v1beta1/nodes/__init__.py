"""NodeMetrics: processor and memory use of nodes."""
