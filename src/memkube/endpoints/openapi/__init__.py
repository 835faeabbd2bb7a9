"""Generates OpenAPI documents from the types and declarations of resources, without code for particular kinds.

The functions of this package are pure; the routers cache and serve the documents.
"""
