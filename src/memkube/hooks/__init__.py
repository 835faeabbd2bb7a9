"""The way to servers that clients of Kubernetes name: webhooks, converters and extension API servers.

Nothing here knows a kind, nor what is asked. httpcore is imported when the first of them is called. What is said of
failures is what Go's ``net/http``, ``crypto/tls`` and client-go's ``rest`` would say, because clients are shown it.
"""
