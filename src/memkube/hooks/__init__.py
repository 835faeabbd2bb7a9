"""Client for servers that users configure: admission webhooks, conversion webhooks and extension API servers.

This package knows neither API kinds nor the content of requests. httpcore is imported on the first call. Errors have
the wording of Go's ``net/http`` and ``crypto/tls`` and of client-go's ``rest``, because API clients see them.
"""
