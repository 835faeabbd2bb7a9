"""Controllers that fill and delete Secrets with tokens of service accounts (``pkg/controller/serviceaccount``)."""
