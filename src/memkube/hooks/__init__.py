"""HTTPS client for servers that users configure: admission webhooks, conversion webhooks and extension API servers.

This package contains no code for particular kinds or request bodies. It imports httpcore on the first call. Error
messages are those of Go's ``net/http`` and ``crypto/tls`` and of client-go's ``rest``, because API clients see them.
"""
