"""The simulated nodes: their Node objects, heartbeats and failures."""
