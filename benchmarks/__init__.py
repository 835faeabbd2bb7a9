"""Throughput, latency, start and memory of a server, as ratios to a bare one that sends the same bytes."""
