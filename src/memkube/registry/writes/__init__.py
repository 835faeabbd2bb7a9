"""The write road: create, update, patch, apply and delete, in the order of the reference's generic store.

Every write of an object passes through here; nothing here may know a single kind.
"""
