"""Authentication and authorization of requests. This package imports neither HTTP libraries nor storage."""
