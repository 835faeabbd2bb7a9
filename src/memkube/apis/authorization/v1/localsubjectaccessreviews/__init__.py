"""LocalSubjectAccessReviews: may somebody do this in one namespace? Asked by POST, never stored."""
