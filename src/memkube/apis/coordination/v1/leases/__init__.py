"""Leases: locks with a holder and an expiry."""
