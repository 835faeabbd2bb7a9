"""Validation common to all kinds: metadata, labels, selectors, conditions and request options."""
