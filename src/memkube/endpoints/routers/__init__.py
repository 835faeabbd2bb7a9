"""FastAPI routers: the table of paths, methods and endpoints.

Nothing here may touch storage; endpoints call the stores of the registry.
"""
