"""SubjectAccessReviews: may somebody do this? Asked by POST, never stored."""
