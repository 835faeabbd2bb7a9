"""Benchmarks of throughput, latency, start-up time and memory, as ratios to a bare server that sends the same bytes."""
