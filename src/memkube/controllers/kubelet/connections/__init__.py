"""Connections of clients to simulated containers: logs, exec and attach sessions, and ports."""
