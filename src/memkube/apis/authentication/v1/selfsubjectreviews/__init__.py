"""SelfSubjectReviews: who am I? Asked by POST, never stored."""
