"""ResourceClaimTemplates: claims to be made for pods."""
