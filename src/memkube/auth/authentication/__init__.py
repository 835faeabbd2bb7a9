"""Authentication: which user sent a request. Nothing here decides what that user may do."""
