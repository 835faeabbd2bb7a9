"""Service account tokens: issuing, signing (``pkg/serviceaccount``) and authentication."""
