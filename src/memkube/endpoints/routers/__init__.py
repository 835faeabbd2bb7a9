"""FastAPI routers: the table of paths, methods and endpoints.

Modules of this package must not use the storage; endpoints call the stores of the registry.
"""
