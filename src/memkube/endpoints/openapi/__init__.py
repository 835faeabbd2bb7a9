"""OpenAPI documents, made from the types and the resources; no kind is known here.

All functions are pure; the routers cache and serve the documents.
"""
