"""Rules for what the kinds have in common: metadata, labels, selectors, conditions, request options."""
