"""Streams of exec, attach and port-forward on upgraded connections, over SPDY or WebSocket."""
