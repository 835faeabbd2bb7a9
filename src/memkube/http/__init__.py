"""The HTTP transport: HTTP/1.1 on uvicorn, upgrades, and limits of headers and idle connections.

Nothing here may know a resource, a verb or a kind of Kubernetes.
"""
