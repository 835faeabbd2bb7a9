"""Service account tokens: signing (``pkg/serviceaccount``), requesting and authentication."""
