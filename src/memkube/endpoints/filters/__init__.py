"""ASGI filters around every endpoint: users, limits, deadlines, faults, logging and metrics.

Nothing here may depend on which endpoint answers the request.
"""
