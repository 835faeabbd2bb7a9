"""The resource metrics API of metrics-server. It is served if the server simulates containers."""
