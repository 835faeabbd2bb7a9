"""Connections of clients to simulated containers: logs, exec, attach and port-forward."""
