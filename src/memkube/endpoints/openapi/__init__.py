"""OpenAPI documents, made from the types and declarations of resources; nothing here depends on a single kind.

All functions are pure; the routers cache and serve the documents.
"""
