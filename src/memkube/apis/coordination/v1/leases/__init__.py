"""Leases: who holds a lock, and until when."""
