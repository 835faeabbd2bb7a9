"""The FastAPI routers: which path and method leads to which handler.

Nothing here may read or write an object; handlers do.
"""
