"""The resource metrics API of metrics-server. memkube serves it if it simulates containers."""
