"""Filters around every endpoint: users, limits, deadlines, faults, logging and metrics.

Nothing here may depend on the verb's endpoint.
"""
