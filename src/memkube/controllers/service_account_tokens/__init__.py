"""Secrets with tokens of service accounts (``pkg/controller/serviceaccount``)."""
