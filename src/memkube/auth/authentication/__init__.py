"""Authentication of requests: finds the user. Package ``authorization`` decides which requests the user may make."""
