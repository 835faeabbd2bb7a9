"""OpenAPI documents, generated from the types and declarations of resources; no code for single kinds.

The functions of this package are pure; the routers cache and serve the documents.
"""
