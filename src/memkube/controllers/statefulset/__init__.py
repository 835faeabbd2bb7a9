"""Keeps pods with names that stay, in an order, and moves them from one revision of their template to the next."""
