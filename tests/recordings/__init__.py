"""Compressed recordings of a real API server, programs that replay them, and the list of recordings that must agree."""
