"""Allocation of devices to ResourceClaims (``dynamic-resource-allocation/structured``).

This package neither reads nor writes objects. It works on JSON data that its callers pass.
"""
