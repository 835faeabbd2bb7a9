"""SelfSubjectAccessReviews: may I do this? Asked by POST, never stored."""
