"""Allocation of devices to ResourceClaims (``dynamic-resource-allocation/structured``).

Nothing here reads or writes objects: the package works on the documents that it is given.
"""
