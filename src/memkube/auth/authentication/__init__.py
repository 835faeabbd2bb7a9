"""Authentication of requests: finds the user. Nothing here decides which requests the user may make."""
