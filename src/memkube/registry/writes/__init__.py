"""The write path: create, update, patch, apply and delete, in the order of the reference's generic store.

Every write of an object passes through here. Nothing here may know a single kind.
"""
