"""ResourceClaimTemplates: templates of claims for pods."""
