"""The streams of a process, and connections to ports, on an upgraded connection."""
