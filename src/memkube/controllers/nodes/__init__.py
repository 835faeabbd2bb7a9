"""The simulated nodes: their objects, their heartbeats, and how they fail."""
