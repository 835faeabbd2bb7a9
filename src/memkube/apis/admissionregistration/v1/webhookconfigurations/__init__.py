"""Admission webhook configurations: which webhooks are called for which requests."""
