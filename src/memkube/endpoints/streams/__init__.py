"""Streams of exec, attach and port-forward on upgraded connections: SPDY and WebSocket."""
