"""Controllers of Secrets with service account tokens (``pkg/controller/serviceaccount``)."""
