"""Simulated containers: their images, environment, behavior, processes, probes and logs."""
