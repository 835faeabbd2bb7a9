"""The authorizer of kubelets (``plugin/pkg/auth/authorizer/node``)."""
