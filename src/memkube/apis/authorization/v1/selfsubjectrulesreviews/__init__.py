"""SelfSubjectRulesReviews: what may I do in this namespace? Asked by POST, never stored."""
